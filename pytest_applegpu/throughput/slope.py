"""How long does one operation take, and how long does launching a submission take?

A submission of n operations takes overhead + n * operation. Two of them, of n and 2n operations,
tell the two apart: the operation takes (t_2n - t_n) / n and the overhead is 2 t_n - t_2n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import median
from typing import Final

from pytest_applegpu.throughput.interval import median_interval, relative_spread

METHOD: Final = "slope n,2n abba, pieces of 2 ms"
"""Names this way of measuring; figures taken in another way are not compared with it."""


@dataclass(frozen=True, slots=True)
class Unsound:
    """A measurement that must not be used, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Timing:
    """What one measurement says about one operation; times are in seconds.

    `seconds` is the median over all pairs and [`low`, `high`] its 95 % interval; `spread` is the
    relative scatter of the pairs. `best` is the fastest submission's time for one operation, its
    share of the overhead included: other work on the machine lengthens most submissions, rarely
    all. `samples` are the pairs' times in the order taken; `dropped` counts those left out
    because noise made them zero or negative (they do count in the median and the interval, which
    would be too long without them).
    """

    seconds: float
    low: float
    high: float
    spread: float
    best: float
    overhead_seconds: float
    count: int
    samples: tuple[float, ...]
    dropped: int = 0

    def __post_init__(self) -> None:
        """Refuse what is no time.

        Raises:
            ValueError: not 0 < low <= seconds <= high.
        """
        check_interval(self.seconds, self.low, self.high)

    @property
    def pairs(self) -> int:
        """How many pairs were timed."""
        return len(self.samples) + self.dropped


def check_interval(seconds: float, low: float, high: float) -> None:
    """Hold a time to its interval.

    Raises:
        ValueError: not 0 < low <= seconds <= high.
    """
    if not 0 < low <= seconds <= high:
        raise ValueError(f"{seconds} s is not a time within {low} s to {high} s")


def timing(counts: Sequence[int], seconds: Sequence[float]) -> Timing | Unsound:
    """Turn submissions, in the order of `plan.rounds`, into the time of one operation.

    `seconds[i]` is the wall time of a submission of `counts[i]` operations.

    Returns:
        The timing, or `Unsound` where the clock went wrong or noise hides the operation: when
        the interval of the median reaches down to zero.

    Raises:
        ValueError: the counts are not pairs of n and 2n, or the lengths differ.
    """
    n = _smallest(counts, seconds)
    if wrong := [time for time in seconds if not (isfinite(time) and time > 0)]:
        return Unsound(f"the clock said {wrong[0]} s for a submission")
    pairs = [_in_order(counts, seconds, first) for first in range(0, len(counts), 2)]
    slopes = [(twice - once) / n for once, twice in pairs]
    low, high = median_interval(slopes)
    kept = tuple(slope for slope in slopes if slope > 0)
    dropped = len(slopes) - len(kept)
    if low <= 0:
        return Unsound(
            f"in {dropped} of {len(slopes)} pairs {2 * n} operations took no longer than {n}"
        )
    return Timing(
        seconds=median(slopes),
        low=low,
        high=high,
        spread=relative_spread(slopes),
        best=min(time / count for time, count in zip(seconds, counts, strict=True)),
        overhead_seconds=max(0.0, median(2 * once - twice for once, twice in pairs)),
        count=n,
        samples=kept,
        dropped=dropped,
    )


def _smallest(counts: Sequence[int], seconds: Sequence[float]) -> int:
    n = min(counts, default=0)
    pairs = [sorted(counts[first : first + 2]) for first in range(0, len(counts), 2)]
    if n < 1 or len(counts) != len(seconds) or any(pair != [n, 2 * n] for pair in pairs):
        raise ValueError(f"{len(seconds)} times for counts {list(counts)}: need pairs of n and 2n")
    return n


def _in_order(counts: Sequence[int], seconds: Sequence[float], first: int) -> tuple[float, float]:
    one, other = seconds[first], seconds[first + 1]
    return (one, other) if counts[first] < counts[first + 1] else (other, one)
