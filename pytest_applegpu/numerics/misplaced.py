"""Is the result right, but of other data, or in another place?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from pytest_applegpu.numerics.blockwise import times
from pytest_applegpu.numerics.evidence import Evidence
from pytest_applegpu.numerics.rounding import Array, larger_part, widen

_LEAST: Final = 4
"""Elements that must agree before a line or matrix counts as another's: fewer do by chance."""

_CANDIDATES: Final = 8
"""Rows whose projection comes nearest that are tried as the twin of a wrong row."""

_MOST_BATCHES: Final = 64


def nothing(evidence: Evidence) -> str | None:
    """Every element is zero."""
    return None if evidence.got.any() else "the result is all zeros"


def zeros(evidence: Evidence) -> str | None:
    """Every wrong element is zero."""
    return None if evidence.got[evidence.wrong].any() else "zero wherever it is wrong"


def lines(evidence: Evidence) -> str | None:
    """Every wrong row, or column, is another row or column of the right result."""
    return _lines(evidence, "row") or _lines(_transposed(evidence), "column")


def _transposed(e: Evidence) -> Evidence:
    whole = (e.B.T, e.A.T, e.C.T)
    sample = (e.b.T, e.a.T, e.got.T, e.exact.T, e.slack.T, e.wrong.T)
    return Evidence(e.dtype, e.arithmetic, *whole, e.cols, e.rows, *sample)


def _lines(evidence: Evidence, word: str) -> str | None:
    bad = np.flatnonzero(evidence.wrong.mean(axis=1) >= 0.5)
    elsewhere = np.delete(evidence.wrong, bad, axis=0)
    if not len(bad) or elsewhere.any() or evidence.got.shape[1] < _LEAST:
        return None
    twins = {}
    for place in bad[:8]:
        twin = _twin(evidence, int(place))
        if twin is None:
            return None
        twins[int(evidence.rows[place])] = twin
    return _told(twins, word)


def _twin(evidence: Evidence, place: int) -> int | None:
    """Return which row of the whole product stands in sampled row `place`, if any does."""
    own = int(evidence.rows[place])
    weights = np.random.default_rng(place).standard_normal(evidence.got.shape[1])
    sums = times(evidence.A, evidence.b @ weights)
    with np.errstate(invalid="ignore", over="ignore"):
        distance = larger_part(sums - evidence.got[place] @ weights)
    likely = np.argsort(distance, kind="stable")[:_CANDIDATES]
    for row in sorted((int(row) for row in likely if row != own), key=lambda row: abs(row - own)):
        if evidence.is_product(widen(evidence.A[row : row + 1]), evidence.b, np.s_[[place]]):
            return row
    return None


def _told(twins: dict[int, int], word: str) -> str:
    (first, source), *others = twins.items()
    if len(twins) == 2 and twins.get(source) == first:
        return f"{word}s {first} and {source} are swapped"
    shifts = {row - twin for row, twin in twins.items()}
    if not others:
        return f"{word} {first} repeats {word} {source}"
    if len(shifts) == 1:
        shift = shifts.pop()
        return f"{word}s repeat those {abs(shift)} {'before' if shift > 0 else 'after'} them"
    return f"{word}s are out of place: {word} {first} repeats {word} {source}"


def transposes(evidence: Evidence) -> str | None:
    """An operand was read in the other order of its axes, or the result was written so."""
    if evidence.got.size < _LEAST:
        return None
    for text, a, b in _other_orders(evidence):
        if evidence.is_product(a, b):
            return text
    return None


def _other_orders(e: Evidence) -> Iterator[tuple[str, Array, Array]]:
    (m, k), n = e.A.shape, e.B.shape[1]
    if k > 1 and m > 1:
        for A in _reread(e.A):
            yield "operand A read as its transpose", widen(A[e.rows]), e.b
    if k > 1 and n > 1:
        for B in _reread(e.B):
            yield "operand B read as its transpose", e.a, widen(B[:, e.cols])
    if m == n > 1:
        # The transpose of a product is the product of the transposes, in the other order.
        yield "the result is transposed", widen(e.B[:, e.rows]).T, widen(e.A[e.cols]).T


def _reread(X: Array) -> Iterator[Array]:
    """Yield what X becomes when its elements are taken in the other order of storage."""
    rows, cols = X.shape
    yield X.reshape(cols, rows).T
    if rows != cols:
        yield X.T.reshape(rows, cols)


def batches(evidence: Evidence, A: Array, B: Array, index: tuple[int, ...]) -> str | None:
    """The matrix at `index` of the batch is that of another index, of either operand or both.

    A and B are broadcast to the whole batch.
    """
    if evidence.got.size < _LEAST:
        return None
    others = [other for other in np.ndindex(A.shape[:-2]) if other != index][:_MOST_BATCHES]
    for other in others:
        a, b = widen(A[other][evidence.rows]), widen(B[other][:, evidence.cols])
        mine, theirs = _name(index), _name(other)
        if evidence.is_product(a, b):
            return f"batch {mine} repeats batch {theirs}"
        if evidence.is_product(a, evidence.b):
            return f"batch {mine} uses A of batch {theirs}"
        if evidence.is_product(evidence.a, b):
            return f"batch {mine} uses B of batch {theirs}"
    return None


def _name(index: tuple[int, ...]) -> str:
    return str(index[0]) if len(index) == 1 else str(index)
