"""`matmul`, and `addmm`: alpha A B + beta C."""

from __future__ import annotations

from typing import Final

import numpy as np

from pytest_applegpu.numerics.draws import nonzero
from pytest_applegpu.numerics.epilogue import Epilogue
from pytest_applegpu.numerics.rounding import Array, widen
from pytest_applegpu.operations.drawn import Drawn, Pencil, one_matrix

SHARE: Final = 16
"""How much smaller exact sums are where factors from 1/4 to 2 and an addend come to them, so that
results are held exactly whichever of them is rounded first."""


def matmul(pencil: Pencil) -> Drawn:
    """Draw A and B; `inner` gets B transposed."""
    A, B = pencil.pair()
    inner = pencil.problem.param("via") == "inner"
    return Drawn((A, np.swapaxes(B, -1, -2) if inner else B), A, B)


def addmm(pencil: Pencil) -> Drawn:
    """Draw A, B and an addend of about the product's size."""
    problem = pencil.problem
    A, B = pencil.pair(SHARE)
    (c,) = (one for one in problem.operands if one.name == "c")
    C = _whole(pencil, c.shape) if pencil.is_exact else like(pencil, c.shape, A, B)
    C = one_matrix(C, problem.layout("c"))
    alpha, beta = (float(problem.param(name)) for name in ("alpha", "beta"))
    full = (*problem.batch, problem.m, problem.n)
    wide = beta * widen(C)
    vectors = "vec" in {problem.layout_a, problem.layout_b}
    addend = wide.reshape(full) if vectors else np.broadcast_to(wide, full)
    return Drawn((A, B, C), A, B, Epilogue(alpha, addend))


def _whole(pencil: Pencil, shape: tuple[int, ...]) -> Array:
    """Draw whole numbers without 0, of both parts where they are complex."""
    dtype, rng = pencil.problem.dtype, pencil.rng
    top = max(pencil.order(SHARE).budget // (4 if dtype.is_complex else 1), 1)
    drawn = nonzero(rng, shape, min(top, 2**16))
    if dtype.is_complex:
        drawn = drawn + 1j * nonzero(rng, shape, min(top, 2**16))
    return drawn.astype(dtype.numpy)


def like(pencil: Pencil, shape: tuple[int, ...], A: Array, B: Array) -> Array:
    """Draw normal numbers of the size that elements of A B have."""
    dtype, rng = pencil.problem.dtype, pencil.rng
    with np.errstate(over="ignore", under="ignore"):
        size = _rms(A) * _rms(B) * np.sqrt(max(A.shape[-1], 1))
        drawn = rng.standard_normal(shape) * min(float(size), dtype.largest / 16)
        if dtype.is_complex:
            drawn = drawn + 1j * rng.standard_normal(shape) * float(size)
        return drawn.astype(dtype.numpy)


def _rms(X: Array) -> float:
    wide = np.abs(widen(X))
    largest = float(wide.max(initial=0.0))
    if largest == 0:
        return 1.0
    return largest * float(np.sqrt(np.square(wide / largest).mean()))
