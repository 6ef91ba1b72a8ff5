"""Do NaN and Inf stay in their own row and column?

NaN and Inf are placed in single rows of A and columns of B whose other elements are thinned
integers, zeros among them. Row i of C depends on row i of A alone, so exactly the rows and
columns that hold one are touched; everything else stays exact. 0 x Inf is NaN. Complex numbers
are isolated by element: what is not finite may come back as NaN or Inf in either part.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.compare import compare_exact
from pytest_applegpu.numerics.draws import Order, Pair
from pytest_applegpu.numerics.epilogue import PLAIN, Epilogue
from pytest_applegpu.numerics.exact_fills import integer
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.reference import product
from pytest_applegpu.numerics.rounding import Array, round_to, widen


def isolation_operands(
    dtype: DType,
    shape_a: tuple[int, ...],
    shape_b: tuple[int, ...],
    rng: np.random.Generator,
    operand_bits: int | None = None,
) -> Pair:
    """Draw operands for `check_isolation`; no size may be 0."""
    return draw(Order(dtype, shape_a, shape_b, operand_bits or dtype.significand, rng))


def draw(order: Order) -> Pair:
    """Draw thinned integers with up to two special rows in A and columns in B.

    One row and one column stay clean, so that a leak has somewhere to show; only a 1 x 1 result
    has no such place.
    """
    A, B = integer(order)
    rows, cols = min(order.shape_a[-2] - 1, 2), min(order.shape_b[-1] - 1, 2)
    if rows + cols == 0:
        rows = 1
    _plant(A, rows, (np.nan, np.inf), order.rng)
    _plant(np.swapaxes(B, -1, -2), cols, (np.inf, np.nan), order.rng)
    return A, B


def _plant(X: Array, count: int, kinds: tuple[float, float], rng: np.random.Generator) -> None:
    """Put one special value into each of `count` rows of one matrix of the stack X."""
    matrix = X[tuple(rng.integers(size) for size in X.shape[:-2])]
    for row, kind in zip(rng.choice(len(matrix), count, replace=False), kinds, strict=False):
        column = rng.choice([0, matrix.shape[1] - 1, rng.integers(matrix.shape[1])])
        part = matrix.imag if matrix.dtype.kind == "c" and rng.integers(2) else matrix
        part[row, column] = kind * rng.choice([-1, 1])


def expected_isolation(A: Array, B: Array) -> Array:
    """Return the product by IEEE 754 rules, float64 or complex128; special sums term by term."""
    a, b = widen(A), widen(B)
    clean = product(np.where(np.isfinite(a), a, 0), np.where(np.isfinite(b), b, 0))
    batch = clean.shape[:-2]
    a, b = (np.broadcast_to(X, (*batch, *X.shape[-2:])) for X in (a, b))
    for index in np.ndindex(batch):
        for row in np.flatnonzero(~np.isfinite(a[index]).all(axis=1)):
            clean[index][row] = _term_by_term(a[index][row], b[index])
        for col in np.flatnonzero(~np.isfinite(b[index]).all(axis=0)):
            clean[index][:, col] = _term_by_term(b[index][:, col], a[index].T)
    return clean


def _term_by_term(vector: Array, matrix: Array) -> Array:
    # BLAS may skip zeros, and 0 x Inf with them.
    with np.errstate(invalid="ignore"):
        total: Array = (vector[:, None] * matrix).sum(axis=0)
    return total


def prove_isolation(A: Array, B: Array) -> str | None:
    """Return why nothing could leak, or None: a special value must be there, and a clean line."""
    if 0 in A.shape or 0 in B.shape:
        return None
    special_a, special_b = (~np.isfinite(widen(X)) for X in (A, B))
    if not (special_a.any() or special_b.any()):
        return "neither operand holds NaN or Inf"
    rows, cols = np.any(special_a, axis=-1, keepdims=True), np.any(special_b, -2, keepdims=True)
    touched: Array = rows | cols
    if touched.all() and touched.size > 1:
        return "no element of the result is clean, so nothing could leak"
    return None


def check_isolation(
    A: Array, B: Array, got: Array, dtype: DType, epilogue: Epilogue = PLAIN
) -> Finding:
    """Hold `got`, of the right shape and dtype, to the product with NaN and Inf in their place.

    A product that is multiplied by alpha = 0 may be left out, and what is not finite with it (the
    BLAS standard: A and B are not referenced then), or not (IEEE 754: 0 x NaN is NaN): either, for
    all of the result.
    """
    total = expected_isolation(A, B)
    finding = _hold(A, B, got, dtype, epilogue.apply(total))
    if finding.passed or epilogue.alpha != 0:
        return finding
    without = _hold(A, B, got, dtype, epilogue.apply(np.zeros_like(total)))
    return without if without.passed else finding


def _hold(A: Array, B: Array, got: Array, dtype: DType, total: Array) -> Finding:
    """Hold `got` to the result `total`, in a wide format."""
    expected = round_to(total, dtype)
    if dtype.is_complex:
        both = ~np.isfinite(got) & ~np.isfinite(expected)
        expected = np.where(both, np.nan, expected)
        got = np.where(both, np.nan, got).astype(got.dtype)
    comparison = compare_exact(got, expected, dtype)
    if comparison.finding.passed:
        return comparison.finding
    cause = _leak(A, B, got, expected)
    return replace(comparison.finding.located(comparison.wrong), cause=cause)


def _leak(A: Array, B: Array, got: Array, expected: Array) -> str | None:
    """Say from which line NaN or Inf leaked into which, or where it got lost."""
    stray = ~np.isfinite(got) & np.isfinite(expected)
    lost = np.isfinite(got) & ~np.isfinite(expected)
    for wrong, say in ((stray, _stray_line), (lost, _lost_line)):
        if wrong.any():
            index = tuple(np.argwhere(wrong)[0][:-2])
            batch = got.shape[:-2]
            a, b = (np.broadcast_to(X, (*batch, *X.shape[-2:]))[index] for X in (A, B))
            ours = wrong[index]
            return (
                say(a, ours, "row") or say(b.T, ours.T, "column") or _unplaced(stray=wrong is stray)
            )
    return None


def _unplaced(*, stray: bool) -> str:
    where = "appear outside their rows and columns" if stray else "are missing where they are due"
    return f"NaN or Inf {where}"


def _stray_line(X: Array, stray: Array, word: str) -> str | None:
    """Name the line nearest to the stray ones, if these are whole lines."""
    lines = np.flatnonzero(stray.mean(axis=1) >= 0.5)
    special = np.flatnonzero(~np.isfinite(widen(X)).all(axis=1))
    if not (lines.size and special.size) or np.delete(stray, lines, axis=0).any():
        return None
    line = int(lines[0])
    source = int(special[np.argmin(np.abs(special - line))])
    kind = "NaN" if np.isnan(X[source]).any() else "Inf"
    return f"{kind} of {word} {source} leaks into {word} {line}"


def _lost_line(X: Array, lost: Array, word: str) -> str | None:
    """Name the line that should not be finite, if it is lost as a whole."""
    lines = np.flatnonzero(lost.mean(axis=1) >= 0.5)
    if not lines.size:
        return None
    kind = "NaN" if np.isnan(X[lines[0]]).any() else "Inf"
    return f"{kind} of {word} {int(lines[0])} does not reach the result"
