"""Where does a larger problem cost less, a row suddenly more, a quantized product more than dense?

The rule. A sweep measures every size in several passes, each in a random order of its own. A
pass's common drift is taken out, and each size gets an interval such that all intervals of the
sweep hold together with 95 %: Student's t at the level of Bonferroni, with the size's own scatter
or the sweep's, whichever is larger. Something is a cliff only where the intervals leave a factor of
more than `FLOOR` between them, whatever lies in them. Reported is the factor of the medians, with
the factor's own interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log, pi, sqrt
from statistics import median, stdev
from typing import Final, Literal

FLOOR: Final = 1.05
"""Factors up to this are no cliff, however sure: operands' places in memory do as much."""

LEVEL: Final = 0.95
"""Probability that all intervals of one sweep hold."""

FEWEST: Final = 3
"""Passes without which a size's scatter is not known."""

LEAN: Final = 8.0
"""Operations a byte up to which memory binds on every GPU, so that GB/s may not fall."""

_MEDIAN: Final = sqrt(pi / 2)
"""How much wider a median scatters than a mean, for normal samples."""

Kind = Literal["larger is faster", "cost of a row jumps", "bandwidth falls", "slower than dense"]


@dataclass(frozen=True, slots=True)
class Point:
    """One size: seconds with their interval, the route's label (empty: not known), and the work.

    `flops` and `bytes` are of one product, as a roofline has them.

    Raises:
        ValueError: not 0 < low <= seconds <= high, or the size is below 1.
    """

    size: int
    seconds: float
    low: float
    high: float
    route: str = ""
    flops: int = 0
    bytes: int = 0

    def __post_init__(self) -> None:
        """Refuse what is no size, and no time."""
        if self.size < 1 or not 0 < self.low <= self.seconds <= self.high:
            raise ValueError(f"size {self.size}: {self.seconds} s in {self.low} to {self.high} s")

    @property
    def lean(self) -> bool:
        """Whether memory binds, whatever the GPU."""
        return self.bytes > 0 and self.flops <= LEAN * self.bytes


@dataclass(frozen=True, slots=True)
class Cliff:
    """A finding: two sizes (the same one twice where two products are compared), and the factor.

    `factor` is what the slow side takes over what it should take at the most; `low` and `high` are
    the ends of its interval. `until` is the last size of a run that has the same fault.
    """

    kind: Kind
    sizes: tuple[int, int]
    routes: tuple[str, str]
    factor: float
    low: float
    high: float
    until: int | None = None


def intervals(passes: Sequence[Sequence[float]]) -> list[tuple[float, float, float]]:
    """Return seconds with the ends of their interval, a size each; all hold together.

    `passes[p][i]` are the seconds of size i in pass p.

    Raises:
        ValueError: fewer than `FEWEST` passes, passes of different lengths, or a time of 0.
    """
    count = len(passes[0]) if passes else 0
    if len(passes) < FEWEST or count == 0 or any(len(one) != count for one in passes):
        raise ValueError(f"a sweep needs {FEWEST} passes or more, of the same sizes")
    if any(time <= 0 for one in passes for time in one):
        raise ValueError("a time is above 0")
    logs = _undrifted([[log(time) for time in one] for one in passes])
    own = [stdev(values) for values in logs]
    common = sqrt(sum(s * s for s in own) / count) if count < 2 * FEWEST else median(own)
    wide = _quantile(count, len(passes)) * _MEDIAN / sqrt(len(passes))
    return [
        _around(median(values), wide * max(s, common)) for values, s in zip(logs, own, strict=True)
    ]


def _undrifted(passes: list[list[float]]) -> list[list[float]]:
    """Take out what a whole pass has in common; return a list a size."""
    sizes = list(zip(*passes, strict=True))
    centres = [median(values) for values in sizes]
    if len(sizes) < 2 * FEWEST:
        return [list(values) for values in sizes]
    drifts = [median(t - c for t, c in zip(one, centres, strict=True)) for one in passes]
    return [[t - d for t, d in zip(values, drifts, strict=True)] for values in sizes]


def _quantile(sizes: int, passes: int) -> float:
    from scipy.stats import t  # noqa: PLC0415 - slow to load

    return float(t.ppf(1 - (1 - LEVEL) / (2 * sizes), passes - 1))


def _around(centre: float, half: float) -> tuple[float, float, float]:
    return exp(centre), exp(centre - half), exp(centre + half)


def cliffs(points: Sequence[Point]) -> list[Cliff]:
    """Return what is wrong along one swept size, in the order of sizes.

    Raises:
        ValueError: the sizes do not rise.
    """
    if any(one.size >= other.size for one, other in pairwise(points)):
        raise ValueError("the sizes of a sweep rise")
    found = [*_faster(list(points)), *_jumps(points)]
    return sorted(found, key=lambda one: (one.sizes, one.kind))


def _faster(points: list[Point]) -> Iterator[Cliff]:
    """Yield the steepest place where a larger size is faster, then those on both sides of it."""
    best = _steepest(points)
    if best is None:
        return
    i, j = _edge(points, *best)
    slow, fast = points[i], points[j]
    first = next(n for n in range(i + 1) if all(_beyond(p, fast) for p in points[n : i + 1]))
    yield from _faster(points[:first])
    yield _cliff("larger is faster", slow, fast, slow.seconds / fast.seconds)
    yield from _faster(points[j:])


def _steepest(points: list[Point]) -> tuple[int, int] | None:
    """Return the places of the surest pair; of those as sure, the nearest."""
    best: tuple[int, int] | None = None
    most, slowest = FLOOR, 0
    for j, fast in enumerate(points):
        if points[slowest].low <= fast.low:
            slowest = j
        if points[slowest].low / fast.high > most:
            most, best = points[slowest].low / fast.high, (slowest, j)
    return best


def _edge(points: Sequence[Point], i: int, j: int) -> tuple[int, int]:
    """Return where the fall from i to j is: sizes that cannot be told from those two, nearer."""
    slow, fast = points[i], points[j]
    after = next(n for n in range(i + 1, j + 1) if points[n].low <= fast.high)
    before = next(n for n in range(after - 1, i - 1, -1) if points[n].high >= slow.low)
    return (before, after) if _beyond(points[before], points[after]) else (i, j)


def _beyond(slow: Point, fast: Point) -> bool:
    return slow.low > FLOOR * fast.high


def _cliff(kind: Kind, slow: Point, fast: Point, factor: float) -> Cliff:
    low, high = slow.low / fast.high, slow.high / fast.low
    return Cliff(kind, (slow.size, fast.size), (slow.route, fast.route), factor, low, high)


def _jumps(points: Sequence[Point]) -> Iterator[Cliff]:
    """Yield where the next size takes more than its share of work allows.

    Time in proportion to the size is allowed; where memory binds, time in proportion to bytes.
    """
    for below, above in pairwise(points):
        lean = below.lean and above.lean
        grown = above.bytes / below.bytes if lean else above.size / below.size
        if above.low <= FLOOR * grown * below.high:
            continue
        yield Cliff(
            "bandwidth falls" if lean else "cost of a row jumps",
            (below.size, above.size),
            (below.route, above.route),
            above.seconds / below.seconds / grown,
            above.low / below.high / grown,
            above.high / below.low / grown,
        )


def slower_than(points: Sequence[Point], dense: Mapping[int, Point]) -> list[Cliff]:
    """Return runs of swept sizes at which `points` is slower than the dense product beside it.

    Each has its first and its worst size, the figures of the worst, and ends at `until`.
    """
    runs: list[list[tuple[Point, Point]]] = [[]]
    for one in points:
        other = dense.get(one.size)
        if other is not None and _beyond(one, other):
            runs[-1].append((one, other))
        elif runs[-1]:
            runs.append([])
    return [_run(run) for run in runs if run]


def _run(run: list[tuple[Point, Point]]) -> Cliff:
    slow, fast = max(run, key=lambda pair: pair[0].seconds / pair[1].seconds)
    found = _cliff("slower than dense", slow, fast, slow.seconds / fast.seconds)
    return Cliff(
        found.kind,
        (run[0][0].size, slow.size),
        found.routes,
        found.factor,
        found.low,
        found.high,
        run[-1][0].size,
    )
