"""Is the result what sums in a narrower format give?

Orders of summation are many: one after the other, in blocks summed in full first, in trees. Each
is followed on a sample, in the narrow format; where none gives the very bits, the size of the
errors decides, if they also lie on the narrow format's grid.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.evidence import Evidence, root_mean_square
from pytest_applegpu.numerics.rounding import Array, keep_bits, round_to

_MOST: Final = 128
"""Elements whose sums are followed term by term."""

_BLOCKS: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
"""Terms summed in full before they enter the narrow accumulator."""

_LANES: Final = (2, 4, 8, 16, 32)
"""Accumulators that take the terms in turn."""

_ALIKE: Final = 3.0
"""Factor within which an error counts as being of the size that a model predicts."""

_EVEN: Final = 0.25
"""Least share that errors of the smallest quarter of results are of those of the largest."""

_MANY: Final = 0.25
"""Share of elements that must be wrong: a narrow accumulator spares few."""


def accumulators(evidence: Evidence) -> str | None:
    """Sums were held in a narrower format than promised."""
    if evidence.dtype.is_complex or evidence.k < 2:
        return None
    spot = evidence.spot(_MOST)
    terms = evidence.a[spot[0]] * evidence.b[:, spot[1]].T
    for narrow in _narrower(evidence.dtype):
        reason = _followed(evidence, spot, terms, narrow)
        if reason:
            return f"accumulated in {narrow.name} ({reason})"
    return None


def _narrower(dtype: DType) -> tuple[DType, ...]:
    names = ("float32",) if dtype.name == "float64" else ("float16", "bfloat16")
    return tuple(DTYPES[name] for name in names)


def _followed(
    evidence: Evidence, spot: tuple[Array, Array], terms: Array, narrow: DType
) -> str | None:
    """Say how sums in `narrow` explain the sample, or None."""
    exact, got = evidence.exact[spot], evidence.got[spot]
    sizes = []
    for how, guess in _orders(terms, narrow):
        if evidence.fits(guess, evidence.slack[spot], spot):
            return how
        sizes.append(_size(guess - exact))
    if _overflows(evidence, spot, terms, narrow):
        return "not finite where partial sums pass its largest number"
    error = _size(got - exact)
    alike = min(sizes) / _ALIKE <= error <= max(sizes) * _ALIKE
    alike = alike and _even(got - exact, exact) and _spread(evidence, narrow)
    return "by the size of the errors" if error and alike else None


def _even(error: Array, exact: Array) -> bool:
    """Whether small results are nearly as wrong as large ones, as rounded partial sums make them.

    What is wrong by a share of each result is something else.
    """
    order = np.argsort(np.abs(exact))
    quarter = len(order) // 4
    small, large = _size(error[order[:quarter]]), _size(error[order[-quarter:]])
    return small >= _EVEN * large


def _spread(evidence: Evidence, narrow: DType) -> bool:
    """Whether errors lie nearly everywhere, and results on the grid of `narrow`."""
    unlike = evidence.got != round_to(evidence.exact, evidence.dtype)
    finer = evidence.dtype.significand > narrow.significand
    return bool(unlike.mean() >= _MANY) and not (finer and not _on_grid(evidence.got, narrow))


def _orders(terms: Array, narrow: DType) -> Iterator[tuple[str, Array]]:
    """Yield orders of summation with the sums of `terms` (elements, K) they give."""
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = _round(terms, narrow)
        yield "one term after the other", _one_by_one(rounded, narrow)
        yield "one term after the other", _one_by_one(terms, narrow)
        for block in _BLOCKS[1:]:
            if block < terms.shape[1]:
                sums = np.add.reduceat(terms, np.arange(0, terms.shape[1], block), axis=1)
                for parts in (_round(sums, narrow), sums):
                    yield f"in blocks of {block}", _one_by_one(parts, narrow)
        for lanes in _LANES:
            sums = _strided(rounded, lanes, narrow)
            for neighbours in (True, False):
                yield f"in {lanes} lanes", _tree(sums, narrow, neighbours=neighbours)
        for neighbours in (True, False):
            yield "in a tree", _tree(rounded, narrow, neighbours=neighbours)


def _round(x: Array, narrow: DType) -> Array:
    return x.astype(narrow.numpy).astype(np.float64)


def _one_by_one(terms: Array, narrow: DType) -> Array:
    total = np.zeros(len(terms))
    for column in np.ascontiguousarray(terms.T):
        total = _round(total + column, narrow)
    return total


def _strided(terms: Array, lanes: int, narrow: DType) -> Array:
    """Sum every `lanes`-th term, from each start, one after the other."""
    missing = -terms.shape[1] % lanes
    padded = np.pad(terms, ((0, 0), (0, missing))).reshape(len(terms), -1, lanes)
    total = np.zeros((len(terms), lanes))
    for step in range(padded.shape[1]):
        total = _round(total + padded[:, step], narrow)
    return total


def _tree(terms: Array, narrow: DType, *, neighbours: bool) -> Array:
    while terms.shape[1] > 1:
        if terms.shape[1] % 2:
            terms = np.concatenate([terms, np.zeros((len(terms), 1))], axis=1)
        half = terms.shape[1] // 2
        first, second = (
            (terms[:, ::2], terms[:, 1::2]) if neighbours else (terms[:, :half], terms[:, half:])
        )
        terms = _round(first + second, narrow)
    return terms[:, 0]


def _size(error: Array) -> float:
    return root_mean_square(error[np.isfinite(error)])


def _overflows(evidence: Evidence, spot: tuple[Array, Array], terms: Array, narrow: DType) -> bool:
    """Whether elements are not finite just where sums in order pass the largest number by far.

    That says nothing of a result without any Inf, or with few wrong elements.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        peaks = np.abs(np.cumsum(terms, axis=1)).max(axis=1)
    got = evidence.got[spot]
    lost = ~np.isfinite(got)
    fits = (peaks[lost] >= narrow.largest / 2).all() and (peaks[~lost] <= narrow.largest * 2).all()
    return bool(np.isinf(got).any() and fits and evidence.wrong.mean() >= _MANY)


def _on_grid(values: Array, narrow: DType) -> bool:
    """Whether every finite value is one that `narrow` holds (its range aside)."""
    finite = values[np.isfinite(values)]
    return bool(np.array_equal(keep_bits(finite, narrow.significand), finite))
