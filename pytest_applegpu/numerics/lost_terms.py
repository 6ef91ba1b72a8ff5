"""Is the result what is left when a part of K is lost, or counted twice?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from pytest_applegpu.numerics.evidence import Evidence
from pytest_applegpu.numerics.rounding import Array, larger_part, round_to

_MOST: Final = 48
"""Wrong elements whose sums are followed term by term."""

_LEAST: Final = 4
"""Wrong elements needed: K offers as many partial sums as it is long, and one may fit a single
element by chance."""

_CHUNKS: Final = (8, 16, 32, 64, 128, 256, 512)
_TRIED: Final = 6


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of K, and how often it counts: 0 for lost, 2 for counted twice."""

    start: int
    stop: int
    times: int
    k: int

    def __str__(self) -> str:
        size = self.stop - self.start
        what = "dropped" if self.times == 0 else "counted twice"
        if self.start and self.stop < self.k:
            return f"as if k = {self.start} to {self.stop - 1} were {what}"
        end = "first" if self.stop < self.k else "last"
        return f"as if the {end} {f'{size} elements' if size > 1 else 'element'} of K were {what}"


def lost_everywhere(evidence: Evidence) -> str | None:
    """Name the part of K whose loss, or repetition, gives the whole result."""
    return next((str(part) for part in _parts(evidence) if _whole(evidence, part)), None)


def lost_somewhere(evidence: Evidence) -> str | None:
    """Name the part of K whose loss, or repetition, gives every wrong element."""
    return next((str(part) for part in _parts(evidence)), None)


def _whole(evidence: Evidence, part: _Part) -> bool:
    weights = np.ones((1, evidence.k))
    weights[:, part.start : part.stop] = part.times
    return evidence.fits((evidence.a * weights) @ evidence.b, evidence.slack)


def _parts(evidence: Evidence) -> Iterator[_Part]:
    """Yield the parts of K that explain every wrong element, the likeliest first."""
    rows, cols = np.nonzero(evidence.wrong)
    if len(rows) < min(_LEAST, evidence.got.size):
        return
    picked = np.unique(np.linspace(0, len(rows) - 1, _MOST).astype(np.int64))
    spot = (rows[picked], cols[picked])
    terms = evidence.a[spot[0]] * evidence.b[:, spot[1]].T
    yield from _ends(evidence, spot, terms)
    yield from _chunks(evidence, spot, terms)


def _ends(evidence: Evidence, spot: tuple[Array, Array], terms: Array) -> Iterator[_Part]:
    k, exact = evidence.k, evidence.exact[spot][:, None]
    # All of K cannot be lost: that is a result of zeros, and has a name of its own.
    last, first = np.cumsum(terms[:, :0:-1], axis=1), np.cumsum(terms[:, :-1], axis=1)
    for sums, times, at_end in ((-last, 0, True), (-first, 0, False), (last, 2, True)):
        for size in _likeliest(_fitting(evidence, spot, exact + sums) + 1, k):
            yield _Part(k - size, k, times, k) if at_end else _Part(0, size, times, k)


def _chunks(evidence: Evidence, spot: tuple[Array, Array], terms: Array) -> Iterator[_Part]:
    exact, k = evidence.exact[spot][:, None], evidence.k
    for size in (size for size in _CHUNKS if size < k):
        sums = np.add.reduceat(terms, np.arange(0, k, size), axis=1)
        for sign, times in ((-1, 0), (1, 2)):
            for chunk in _fitting(evidence, spot, exact + sign * sums)[:_TRIED]:
                start = int(chunk) * size
                yield _Part(start, min(start + size, k), times, k)


def _fitting(evidence: Evidence, spot: tuple[Array, Array], guesses: Array) -> Array:
    """Return which columns of `guesses` (elements, guesses) fit all elements; of real data, one."""
    got = evidence.got[spot][:, None]
    rounded = round_to(guesses, evidence.dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        residual = np.where(rounded == got, 0.0, larger_part(rounded - got))
        furthest = np.where(np.isnan(residual), np.inf, residual).max(axis=0)
    if evidence.strict:
        return np.flatnonzero(furthest == 0)
    best = np.argsort(furthest, kind="stable")[:3]
    slack = evidence.slack[spot]
    return best[[evidence.fits(guesses[:, guess], slack, spot) for guess in best]][:1]


def _likeliest(numbers: Array, k: int) -> list[int]:
    """Order numbers that fit alike, their terms being zero: what is left of a tile first."""
    tails = [k % tile for tile in (512, 256, 128, 64, 32, 16, 8)]
    natural = [*tails, k // 2, *(2**power for power in range(14))]
    fitting = {int(number) for number in numbers}
    chosen = [number for number in natural if number in fitting]
    return list(dict.fromkeys((*chosen, *(int(number) for number in numbers[:1]))))[:_TRIED]
