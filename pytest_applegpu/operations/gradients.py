"""What are the gradients of a product, of each operand as it was handed over?

C = scale * (alpha A B + beta C0), so with the cotangent G and G' = alpha scale G

    dA = G' B^H,  dB = A^H G',  dC0 = beta G

for each matrix of the batch, added up over all results that share an operand: by broadcasting, by
indices, over segments and over the windows of an image. Complex gradients are those of MLX's
`matmul`: the conjugate of the other operand (for L real, dL/dRe + i dL/dIm).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np

from pytest_applegpu.forms.masked import MASKS
from pytest_applegpu.numerics.pulled import Pulled, grain
from pytest_applegpu.numerics.rounding import Array, widen
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.operations.gathered import effective
from pytest_applegpu.operations.masked import spread
from pytest_applegpu.problem import Problem

Prepare = Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class _Product:
    """A product that was made, with numbers or with their magnitudes.

    Attributes:
        problem: what was multiplied.
        sent: what was handed over, by name.
        left: A^H for each result, shape (*batch, K, M).
        right: B^H for each result, (*batch, N, K).
        cotangent: G, shape (*batch, M, N).
        through: G', of the same shape.
        beta: factor of the addend.
        prepare: what is done to every number: nothing, or it is made its magnitude.
    """

    problem: Problem
    sent: dict[str, Array]
    left: Array
    right: Array
    cotangent: Array
    through: Array
    beta: float
    prepare: Prepare

    @property
    def of_a(self) -> Array:
        """What each result gives to A, (*batch, M, K)."""
        found: Array = self.through @ self.right
        return found

    @property
    def of_b(self) -> Array:
        """What each result gives to B, (*batch, K, N)."""
        found: Array = self.left @ self.through
        return found


def pulled(problem: Problem, drawn: Drawn, cotangent: Array) -> dict[str, Pulled]:
    """Return the gradient of each operand that has one; `cotangent` has the result's shape."""
    wide = widen(cotangent).reshape(problem.grid)
    back = _BACK[problem.op]
    exact, size = (
        back(_product(problem, drawn, prepare(wide), prepare)) for prepare in (_same, magnitudes)
    )
    folds = prod(problem.batch)
    terms = {"a": problem.n, "b": problem.m, "c": 1, "input": problem.n, "weight": problem.m}
    more = {"input": folds * problem.k}
    relative = drawn.weights.relative if drawn.weights else 0.0
    return {
        name: Pulled(exact[name], size[name], terms[name], more.get(name, folds), relative)
        for name in exact
    }


def _same(x: Array) -> Array:
    return x


def magnitudes(x: Array) -> Array:
    """Return |x|, of a complex number |Re| + |Im|: what bounds each part of a product."""
    size: Array = np.abs(x.real) + np.abs(x.imag)
    return size


def step_of(problem: Problem, drawn: Drawn, cotangent: Array) -> float:
    """Return a power of two of which all that is added up for a gradient is a multiple."""
    product = _product(problem, drawn, widen(cotangent).reshape(problem.grid), _same)
    others = min(grain(product.left), grain(product.right), 1.0)
    factors = [widen(x) for name, x in product.sent.items() if name in MASKS.values()]
    finest = min((grain(x) for x in factors), default=1.0)
    return grain(product.through) * others * finest * min(abs(product.beta) or 1.0, 1.0)


def _product(problem: Problem, drawn: Drawn, cotangent: Array, prepare: Prepare) -> _Product:
    epilogue = drawn.epilogue
    sent = {one.name: array for one, array in zip(problem.operands, drawn.sent, strict=True)}
    through = cotangent * prepare(np.asarray(epilogue.alpha))
    if epilogue.scale is not None:
        through = through * prepare(epilogue.scale)
    right = widen(drawn.B)
    if prepare is not _same and drawn.weights is not None:
        right = drawn.weights.size
    left, right = (np.swapaxes(prepare(np.conj(x)), -1, -2) for x in (widen(drawn.A), right))
    beta = float(problem.param("beta")) if problem.op == "addmm" else 0.0
    return _Product(problem, sent, left, right, cotangent, through, beta, prepare)


Back = Callable[[_Product], dict[str, Array]]


def fold(x: Array, shape: tuple[int, ...]) -> Array:
    """Add `x` up over the axes along which `shape` was broadcast to it."""
    lead = x.ndim - len(shape)
    once = tuple(
        lead + axis for axis, size in enumerate(shape) if size == 1 != x.shape[lead + axis]
    )
    found: Array = x.sum(axis=(*range(lead), *once), keepdims=True)
    return found.reshape(shape)


def _matmul(one: _Product) -> dict[str, Array]:
    problem = one.problem
    b = fold(one.of_b, problem.shape_b)
    inner = problem.op == "matmul" and problem.param("via") == "inner"
    return {"a": fold(one.of_a, problem.shape_a), "b": np.swapaxes(b, -1, -2) if inner else b}


def _addmm(one: _Product) -> dict[str, Array]:
    shape = one.sent["c"].shape
    c = one.prepare(np.asarray(one.beta)) * one.cotangent
    vectors = "vec" in {one.problem.layout_a, one.problem.layout_b}
    return _matmul(one) | {"c": c.reshape(shape) if vectors else fold(c, shape)}


def _picked(one: _Product) -> dict[str, Array]:
    problem = one.problem
    left, right = effective(problem, one.sent)
    found = {"a": _scattered(one.of_a, left, problem.shape_a)}
    if "b" in one.sent:
        found["b"] = _scattered(one.of_b, right, problem.shape_b)
    return found


def _scattered(x: Array, index: Array, shape: tuple[int, ...]) -> Array:
    """Add matrices (*index, R, C) up where a stack of `shape` was picked from."""
    stack = np.zeros((prod(shape[:-2]), *shape[-2:]), x.dtype)
    np.add.at(stack, index.reshape(-1).astype(np.int64), x.reshape(-1, *shape[-2:]))
    return stack.reshape(shape)


def _masked(one: _Product) -> dict[str, Array]:
    problem = one.problem
    block = int(problem.param("block"))

    def over(letter: str, x: Array) -> Array:
        mask = one.sent.get(MASKS[letter])
        if mask is None:
            return x
        return x * one.prepare(spread(mask, block, x.shape[-2:]))

    return {
        "a": fold(over("l", one.of_a), problem.shape_a),
        "b": fold(over("r", one.of_b), problem.shape_b),
    }


def _segmented(one: _Product) -> dict[str, Array]:
    # Both operands are zero outside a segment, and so is what it gives to the other.
    return {"a": one.of_a.sum(axis=0), "b": one.of_b.sum(axis=0)}


def _quantized(one: _Product) -> dict[str, Array]:
    return {"a": fold(one.of_a, one.problem.shape_a)}


def _convolution(one: _Product) -> dict[str, Array]:
    given, weight = one.sent["input"], one.sent["weight"]
    taps = weight.shape[1:-1]
    pad = int(one.problem.param("pad"))
    kernels = one.of_b.sum(axis=0).T.reshape(weight.shape)
    return {"input": _unwindowed(one.of_a, given.shape, taps, pad), "weight": kernels}


def _unwindowed(x: Array, shape: tuple[int, ...], taps: tuple[int, ...], pad: int) -> Array:
    """Add windows, (images, places, taps * channels), up where an image of `shape` has them."""
    images, *places, channels = shape
    padded = np.zeros((images, *(size + 2 * pad for size in places), channels), x.dtype)
    seen = [size + 2 * pad - tap + 1 for size, tap in zip(places, taps, strict=True)]
    windows = x.reshape(images, *seen, *taps, channels)
    for tap in np.ndindex(taps):
        where = tuple(slice(at, at + size) for at, size in zip(tap, seen, strict=True))
        inner = (slice(None),) * (1 + len(seen))
        padded[(slice(None), *where)] += windows[(*inner, *tap)]
    return padded[(slice(None), *(slice(pad, pad + size) for size in places))]


_BACK: Final[dict[str, Back]] = {
    "matmul": _matmul,
    "addmm": _addmm,
    "gather_mm": _picked,
    "block_masked_mm": _masked,
    "segmented_mm": _segmented,
    "quantized_matmul": _quantized,
    "gather_qmm": _picked,
    "conv1d": _convolution,
    "conv2d": _convolution,
}
"""How each operation hands gradients back, by its name."""
