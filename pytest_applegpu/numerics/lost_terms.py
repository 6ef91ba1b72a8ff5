"""Is the result what is left when a part of K is lost, or counted twice?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from pytest_applegpu.numerics.evidence import Evidence, root_mean_square
from pytest_applegpu.numerics.rounding import Array, larger_part, round_to, spacing

_MOST: Final = 48
"""Wrong elements whose sums are followed term by term."""

_LEAST: Final = 4
"""Wrong elements of different sums needed: K offers as many partial sums as it is long, and one
may fit a single element by chance."""

_BY_CHANCE: Final = 0.01
"""How many parts may be expected to fit by chance, if one that fits is to be believed."""

_CLEARLY: Final = 0.5
"""Share of a rival's residual that a part may leave at the most."""

_CHUNKS: Final = (8, 16, 32, 64, 128, 256, 512)
_TRIED: Final = 6


@dataclass(frozen=True, slots=True)
class Part:
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


def lost_everywhere(evidence: Evidence) -> Part | None:
    """Return the part of K whose loss, or repetition, gives the whole result."""
    # The right elements speak too: each part must leave them as they are.
    telling = evidence.many and (evidence.strict or bool(evidence.wrong.all()))
    parts = _parts(evidence, alike=telling)
    return next((part for part in parts if _whole(evidence, part)), None)


def lost_somewhere(evidence: Evidence) -> Part | None:
    """Return the part of K whose loss, or repetition, gives every wrong element."""
    return next(_parts(evidence, alike=False), None)


def _whole(evidence: Evidence, part: Part) -> bool:
    weights = np.ones((1, evidence.k))
    weights[:, part.start : part.stop] = part.times
    return evidence.fits((evidence.a * weights) @ evidence.b, evidence.slack)


def _parts(evidence: Evidence, *, alike: bool) -> Iterator[Part]:
    """Yield the parts of K that explain every wrong element, the likeliest first.

    Elements that are `alike` count each for itself; otherwise multiples of one sum, as a line of
    a product of ones has them, are one piece of evidence.
    """
    rows, cols = np.nonzero(evidence.wrong)
    if len(rows) < _LEAST:
        return
    picked = np.unique(np.linspace(0, len(rows) - 1, _MOST).astype(np.int64))
    spot = (rows[picked], cols[picked])
    if np.isfinite(evidence.got[spot]).sum() < _LEAST:
        return  # an Inf agrees with every sum that is too large
    terms = evidence.a[spot[0]] * evidence.b[:, spot[1]].T
    if not alike:
        apart = _apart(np.column_stack([terms, evidence.got[spot]]))
        spot, terms = (spot[0][apart], spot[1][apart]), terms[apart]
    if len(terms) >= (1 if alike else _LEAST):
        search = _Search(evidence, spot, terms, alike)
        yield from _ends(search)
        yield from _chunks(search)


@dataclass(frozen=True, slots=True)
class _Search:
    """Wrong elements at `spot`, and the `terms` (elements, K) of their sums."""

    evidence: Evidence
    spot: tuple[Array, Array]
    terms: Array
    alike: bool

    @property
    def exact(self) -> Array:
        """The right sums (elements, 1)."""
        column: Array = self.evidence.exact[self.spot][:, None]
        return column


def _ends(search: _Search) -> Iterator[Part]:
    k, exact, terms = search.evidence.k, search.exact, search.terms
    # All of K cannot be lost: that is a result of zeros, and has a name of its own.
    last, first = np.cumsum(terms[:, :0:-1], axis=1), np.cumsum(terms[:, :-1], axis=1)
    for sums, times, at_end in ((-last, 0, True), (-first, 0, False), (last, 2, True)):
        for size in _likeliest(_fitting(search, exact + sums) + 1, k):
            yield Part(k - size, k, times, k) if at_end else Part(0, size, times, k)


def _chunks(search: _Search) -> Iterator[Part]:
    exact, k = search.exact, search.evidence.k
    for size in (size for size in _CHUNKS if size < k):
        sums = np.add.reduceat(search.terms, np.arange(0, k, size), axis=1)
        for sign, times in ((-1, 0), (1, 2)):
            for chunk in _fitting(search, exact + sign * sums)[:_TRIED]:
                start = int(chunk) * size
                yield Part(start, min(start + size, k), times, k)


def _fitting(search: _Search, guesses: Array) -> Array:
    """Return which columns of `guesses` (elements, guesses) fit all elements; of real data, one.

    None where chance, one spacing of the output up or down, or next to nothing at all, would
    explain them as well.
    """
    evidence, spot = search.evidence, search.spot
    got, slack = evidence.got[spot][:, None], evidence.slack[spot]
    rounded = round_to(guesses, evidence.dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        residual = np.where(rounded == got, 0.0, larger_part(rounded - got))
    residual = np.where(np.isnan(residual), np.inf, residual)
    if not search.alike and _by_chance(residual <= slack[:, None]) > _BY_CHANCE:
        return np.zeros(0, np.int64)
    furthest = residual.max(axis=0)
    if evidence.strict:
        found = np.flatnonzero(furthest == 0)
    else:
        best = np.argsort(furthest, kind="stable")[:3]
        found = best[[evidence.fits(guesses[:, one], slack, spot) for one in best]][:1]
    if search.alike:
        return found
    rival = min(root_mean_square(rest) for rest in _rivals(evidence, spot))
    left = [root_mean_square(residual[:, guess]) for guess in found]
    return found[[bool(rival) and rest <= _CLEARLY * rival for rest in left]]


def _apart(sums: Array) -> Array:
    """Return which rows to keep so that none is another one's multiple."""
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        scaled = sums / sums[np.arange(len(sums)), np.abs(sums[:, :-1]).argmax(axis=1)][:, None]
    kept: Array = np.unique(scaled, axis=0, return_index=True)[1]
    return kept


def _by_chance(fits: Array) -> float:
    """Return how many of the guesses would fit every element, were the elements independent."""
    guesses = fits.shape[1]
    return float(guesses * np.prod(fits.mean(axis=1))) if guesses else 0.0


def _rivals(evidence: Evidence, spot: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return how far each element is from one spacing beside the right result, and from zero."""
    got, right = evidence.got[spot], round_to(evidence.exact[spot], evidence.dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        beside = np.abs(larger_part(got - right) - spacing(larger_part(right), evidence.dtype))
    far, size = (np.where(np.isfinite(x), x, np.inf) for x in (beside, larger_part(got)))
    return far, size


def _likeliest(numbers: Array, k: int) -> list[int]:
    """Order numbers that fit alike, their terms being zero: what is left of a tile first."""
    tails = [k % tile for tile in (512, 256, 128, 64, 32, 16, 8)]
    natural = [*tails, k // 2, *(2**power for power in range(14))]
    fitting = {int(number) for number in numbers}
    chosen = [number for number in natural if number in fitting]
    return list(dict.fromkeys((*chosen, *(int(number) for number in numbers[:1]))))[:_TRIED]
