"""How far can the median of these samples be trusted, and how much do they scatter?

Medians, because times are skewed: an interrupt only ever adds. Both figures are free of any
assumption about the distribution's shape. SciPy is imported when it is first needed, since it
takes longer to load than many a run does.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from statistics import median
from typing import Final

LEVEL: Final = 0.95


def median_interval(samples: Sequence[float], level: float = LEVEL) -> tuple[float, float]:
    """Return an interval that holds the true median with at least probability `level`.

    Its ends are order statistics, as `scipy.stats.quantile_test` chooses them. Fewer than six
    samples cannot reach 95 %; their extremes are returned.

    Raises:
        ValueError: there are no samples.
    """
    import numpy as np  # noqa: PLC0415
    from scipy.stats import quantile_test  # noqa: PLC0415

    if not samples:
        raise ValueError("no samples, no interval")
    tested = quantile_test(samples, q=median(samples), p=0.5)
    ends: Sequence[float] = np.asarray(tested.confidence_interval(level)).tolist()
    low, high = ends
    return min(samples) if isnan(low) else low, max(samples) if isnan(high) else high


def relative_spread(samples: Sequence[float]) -> float:
    """Return the scatter of positive samples as a share of their median (0.02 is 2 %).

    It is the median absolute deviation, scaled to agree with the standard deviation of a normal
    distribution, so that a few interrupted samples do not count as scatter.

    Raises:
        ValueError: there are no samples, or their median is not above 0.
    """
    from scipy.stats import median_abs_deviation  # noqa: PLC0415

    if not samples or not (centre := median(samples)) > 0:
        raise ValueError("spread is relative to a median above 0")
    return float(median_abs_deviation(samples, scale="normal")) / centre
