"""Is the result what sums in a narrower format give?

Orders of summation are many: one after the other, in blocks summed in full first, in trees. Each
is followed on a sample, in the narrow format; where none gives the very bits, the size of the
errors decides, if they also lie on the narrow format's grid.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from statistics import median
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.evidence import Evidence, root_mean_square
from pytest_applegpu.numerics.rounding import Array, keep_bits, round_to

_MOST: Final = 128
"""Elements whose sums are followed term by term."""

_BLOCKS: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
"""Terms summed in full before they enter the narrow accumulator."""

_PARTITIONS: Final = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 48, 64)
"""Parts into which a split-K route may cut the sum."""

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
    return _followed(evidence, spot, terms) or _by_size(evidence, spot, terms)


def _narrower(dtype: DType) -> tuple[DType, ...]:
    if dtype.name == "float64":
        return (DTYPES["float32"],)
    # A route that keeps partial results in the output's own format is the likelier one.
    names = ("bfloat16", "float16") if dtype.name == "bfloat16" else ("float16", "bfloat16")
    return tuple(DTYPES[name] for name in names)


def _followed(evidence: Evidence, spot: tuple[Array, Array], terms: Array) -> str | None:
    """Name the format and the order of summation that give the very sample, or None."""
    for narrow in _narrower(evidence.dtype):
        for how, guess in _orders(terms, narrow):
            if evidence.fits(guess, evidence.slack[spot], spot):
                return how.format(narrow.name)
        if _overflows(evidence, spot, terms, narrow):
            far = "not finite where partial sums pass its largest number"
            return f"accumulated in {narrow.name} ({far})"
    return None


def _by_size(evidence: Evidence, spot: tuple[Array, Array], terms: Array) -> str | None:
    """Name the format whose errors would be of the size of those seen, or None."""
    wrong = evidence.got[spot] - evidence.exact[spot]
    error = _size(wrong)
    if not error or not _even(wrong, evidence.exact[spot]):
        return None
    far: dict[str, float] = {}
    for narrow in _narrower(evidence.dtype):
        sizes = [_size(guess - evidence.exact[spot]) for _, guess in _orders(terms, narrow)]
        alike = min(sizes) / _ALIKE <= error <= max(sizes) * _ALIKE
        if alike and _spread(evidence, narrow):
            far[narrow.name] = abs(log(error / max(median(sizes), error * 1e-9)))
    if not far:
        return None
    return f"accumulated in {min(far, key=far.__getitem__)} (by the size of the errors)"


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
        one = "accumulated in {} (one term after the other)"
        yield one, _one_by_one(rounded, narrow)
        yield one, _one_by_one(terms, narrow)
        for parts in _PARTITIONS:
            if parts < terms.shape[1]:
                yield (
                    f"{parts} partial sums of K rounded to {{}}",
                    _partitioned(terms, parts, narrow),
                )
        for block in _BLOCKS[1:]:
            if block < terms.shape[1]:
                sums = np.add.reduceat(terms, np.arange(0, terms.shape[1], block), axis=1)
                for some in (_round(sums, narrow), sums):
                    yield f"accumulated in {{}} (in blocks of {block})", _one_by_one(some, narrow)
        for lanes in _LANES:
            sums = _strided(rounded, lanes, narrow)
            for neighbours in (True, False):
                how = f"accumulated in {{}} (in {lanes} lanes)"
                yield how, _tree(sums, narrow, neighbours=neighbours)
        for neighbours in (True, False):
            yield "accumulated in {} (in a tree)", _tree(rounded, narrow, neighbours=neighbours)


def _partitioned(terms: Array, parts: int, narrow: DType) -> Array:
    """Sum each of `parts` stretches of K in full, round them, and add those up in full: split-K.

    Stretches are whole blocks of 64 where K is long enough; the last one takes the rest.
    """
    k = terms.shape[1]
    grain = 64 if k >= 64 * parts else 1
    size = -(-k // (parts * grain)) * grain
    sums = np.add.reduceat(terms, np.arange(0, k, size), axis=1)
    total: Array = _round(sums, narrow).sum(axis=1)
    return total


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
