"""How far can the median of these samples be trusted, and how much do they scatter?

Medians, because times are skewed: an interrupt only ever adds. Both figures are free of any
assumption about the distribution's shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from statistics import median
from typing import Final

LEVEL: Final = 0.95

NORMAL_MAD: Final = 1.4826
"""Standard deviations in a median absolute deviation, for a normal distribution."""


def median_interval(samples: Sequence[float], level: float = LEVEL) -> tuple[float, float]:
    """Return an interval that holds the true median with at least probability `level`.

    Its ends are order statistics: with r the largest rank such that a fair coin thrown N times
    shows fewer than r heads with probability at most (1 - level) / 2, they are the r-th smallest
    and the r-th largest sample (David & Nagaraja, Order Statistics, 3rd ed., sec. 7.1). Fewer
    than six samples cannot reach 95 %; their extremes are returned.

    Raises:
        ValueError: there are no samples.
    """
    if not samples:
        raise ValueError("no samples, no interval")
    ordered = sorted(samples)
    rank = max(1, _rank(len(ordered), level))
    return ordered[rank - 1], ordered[-rank]


def _rank(count: int, level: float) -> int:
    allowed = (1 - level) / 2 * 2**count
    rank, ways = 0, 0
    while (ways := ways + comb(count, rank)) <= allowed:
        rank += 1
    return rank


def relative_spread(samples: Sequence[float]) -> float:
    """Return the scatter of positive samples as a share of their median (0.02 is 2 %).

    It is the median absolute deviation, scaled to agree with the standard deviation of a normal
    distribution, so that a few interrupted samples do not count as scatter.

    Raises:
        ValueError: there are no samples, or their median is not above 0.
    """
    if not samples or not (centre := median(samples)) > 0:
        raise ValueError("spread is relative to a median above 0")
    return NORMAL_MAD * median(abs(sample - centre) for sample in samples) / centre
