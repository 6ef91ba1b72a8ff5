"""What is the product, and how large are the terms it is made of?

NumPy in float64 on the operands as stored. For formats of up to 24 bits every product of two
elements is exact there, and the sum is wrong by at most gamma_K(2**-53) |A||B|, which
`bounds.limit` adds to what it allows: for float64 itself that doubles the limit, for all other
formats it is nothing. Integer fills are exact here in any order of summation.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Final

import numpy as np

from pytest_applegpu.numerics.rounding import Array, widen

_AT_ONCE: Final = 2**22
"""Elements of both operands up to which a batch is widened in one go."""


def product(A: Array, B: Array) -> Array:
    """Return A B for shapes (*batch_a, M, K) and (*batch_b, K, N), as float64 or complex128."""
    return _multiply(A, B, widen)


def magnitude(A: Array, B: Array) -> Array:
    """Return |A||B| in float64; an element of a complex matrix counts as |Re| + |Im|.

    Each part of a complex product is a sum of terms whose magnitudes add up to no more than
    that, whether a kernel uses four real products or three.
    """
    return _multiply(A, B, _size)


def _size(x: Array) -> Array:
    wide = widen(x)
    return np.abs(wide.real) + np.abs(wide.imag) if wide.dtype.kind == "c" else np.abs(wide)


def _multiply(A: Array, B: Array, prepare: Callable[[Array], Array]) -> Array:
    batch = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if A.size + B.size <= _AT_ONCE or prod(batch) <= 1:
            whole: Array = np.matmul(prepare(A), prepare(B))
            return whole
        one_by_one = [_Matrices(X, batch, prepare) for X in (A, B)]
        rows = [one_by_one[0][index] @ one_by_one[1][index] for index in np.ndindex(batch)]
    return np.stack(rows).reshape(*batch, A.shape[-2], B.shape[-1])


class _Matrices:
    """The matrices of a batch, each prepared when asked for; a lone one is prepared once."""

    def __init__(self, X: Array, batch: tuple[int, ...], prepare: Callable[[Array], Array]) -> None:
        lone = prod(X.shape[:-2]) == 1
        self._prepare = (lambda x: x) if lone else prepare
        self._view = np.broadcast_to(prepare(X) if lone else X, (*batch, *X.shape[-2:]))

    def __getitem__(self, index: tuple[int, ...]) -> Array:
        return self._prepare(self._view[index])
