"""How far do whole runs lie apart, and how sure is that?

Two answers are possible. The stored runs tell, where there are enough of them: their standard
deviation, with Student's t for how few they are. Or what is usual on the backend is taken for
known (normal distribution), and never less than pairs scatter by within the runs at hand: where
too few runs are stored, and, where the usual figure is a cautious one, also beside the other
answer, unless the stored runs contradict it. Then the one that asks for less is taken. SciPy is
imported when it is first needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, pi, sqrt
from typing import Final

from pytest_applegpu.throughput.slope import Timing, check_interval

USUAL: Final[Mapping[str, float]] = {"cpu": 0.2, "metal": 0.05, "cuda": 0.05}
"""Relative standard deviation between runs where too few are stored. On a CPU that is shared, whole
processes were seen 20 % apart; on an H200 the larger products lay within 1.5 %, small ones at 5 %
and more. No Mac has been measured."""

SHRINK: Final = (1.0, 0.5, 0.449, 0.361, 0.287)
"""Variance of the lower median of 1 to 5 normal values, as order statistics have it; for 2 that of
their mean, which the milder one never exceeds."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What was measured before: a `Timing`'s figures, and how far whole runs lay apart.

    `between` is the relative standard deviation between `runs` runs, None where only one was
    made. `pairs` is how many pairs a run had.
    """

    seconds: float
    low: float
    high: float
    spread: float
    best: float
    runs: int = 1
    between: float | None = None
    pairs: int = 16

    def __post_init__(self) -> None:
        """Refuse what is no time.

        Raises:
            ValueError: not 0 < low <= seconds <= high.
        """
        check_interval(self.seconds, self.low, self.high)


@dataclass(frozen=True, slots=True)
class Apart:
    """What is held of runs; shares of the time.

    `usual` is their standard deviation where too few are stored, `enough` how many suffice, and
    `least` the least that is believed of them. `cautious` says that few cases exceed `usual`.
    Stored runs contradict it where they would lie so far apart less often than `contradiction`.
    """

    usual: float = 0.05
    cautious: bool = False
    enough: int = 5
    least: float = 0.003
    contradiction: float = 0.01


APART: Final = Apart()
"""What is held where nothing else is known."""


def apart_on(backend: str) -> Apart:
    """Return what is held of the runs of a backend."""
    return replace(APART, usual=USUAL.get(backend, APART.usual), cautious=backend == "cpu")


@dataclass(frozen=True, slots=True)
class Known:
    """A standard deviation between runs, its degrees of freedom, and the limit it asks for.

    `limit` is in standard errors. `seen` says that the figure is the stored runs' own.
    """

    between: float
    freedom: float
    limit: float
    seen: bool

    def quantile(self, share: float) -> float:
        """Return how many standard errors chance exceeds as often as `share` says."""
        return _quantile(share, self.freedom)

    def chance(self, errors: float) -> float:
        """Return how often chance exceeds so many standard errors."""
        from scipy.special import ndtr, stdtr  # noqa: PLC0415

        return float(ndtr(-errors) if self.freedom == inf else stdtr(self.freedom, -errors))


def known(before: Stored, taken: Sequence[Timing], apart: Apart, share: float) -> Known:
    """Return how far runs lie apart: of the possible answers the one with the lower limit.

    The limit is of a case that may be a false alarm as often as `share` says.
    """
    answers = []
    between = before.between
    if between is not None and before.runs >= apart.enough:
        answers.append(_known(max(between, apart.least), before.runs - 1, share, seen=True))
    contradicted = between is not None and between > _believed(before.runs, apart)
    if not answers or (apart.cautious and not contradicted):
        within = max(before.spread, *(one.spread for one in taken))
        beyond = (between or 0.0) if contradicted else 0.0
        answers.append(_known(max(apart.usual, within, beyond), inf, share, seen=beyond > within))
    return min(answers, key=lambda one: one.limit * errors(before, taken, one))


def _known(between: float, freedom: float, share: float, *, seen: bool) -> Known:
    return Known(between, freedom, _quantile(share, freedom), seen)


def _quantile(share: float, freedom: float) -> float:
    from scipy.special import ndtri, stdtrit  # noqa: PLC0415

    return -float(ndtri(share) if freedom == inf else stdtrit(freedom, share))


def _believed(runs: int, apart: Apart) -> float:
    """Return how far `runs` runs may seem to lie apart where they are as usual.

    A spread that was kept from before a change counts as one degree of freedom.
    """
    from scipy.special import chdtri  # noqa: PLC0415

    freedom = max(1, runs - 1)
    return apart.usual * sqrt(float(chdtri(freedom, apart.contradiction)) / freedom)


def errors(before: Stored, taken: Sequence[Timing], scale: Known) -> float:
    """Return the standard error of the logarithm of the ratio, the lower median of those `taken`.

    Each run is off by what runs differ by, which includes its own scatter where that is usual; a
    run that scatters more is off by that.
    """
    now = sum(max(scale.between, _error(one.spread, one.pairs)) ** 2 for one in taken) / len(taken)
    then = max(scale.between, _error(before.spread, before.pairs)) ** 2 / before.runs
    return sqrt(SHRINK[len(taken) - 1] * now + then)


def _error(spread: float, pairs: int) -> float:
    """Return the standard error of the median of pairs that scatter by `spread`."""
    return sqrt(pi / 2) * spread / sqrt(pairs)
