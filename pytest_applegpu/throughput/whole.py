"""How long is a pass of many products on two sides, and how sure is the ratio?

Each product was compared by itself, in rounds of A B B A. Its time on the other side is its median
there, and its time on this side that median times its paired ratio, which a drift between rounds
does not touch. The pass is their sum, each times its count: the ratio R of the passes is the mean
of the ratios weighted by the other side's times. Where errors are small, those of log R are the
products' own, each times its share of this side's pass. What rounds scatter by is independent from
product to product and adds up in squares; what two processes differ by (`BETWEEN`) all products
have in common, measured by one pair of processes, and it is counted once, whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, hypot, log, sqrt

from pytest_applegpu.throughput.paired import BETWEEN, Z95, Paired


@dataclass(frozen=True, slots=True)
class Whole:
    """Seconds of a pass on both sides, their ratio (this over other) and its 95 % interval.

    `shares` and `other_shares` say of each product which part of the pass it takes.
    """

    seconds: float
    other_seconds: float
    low: float
    high: float
    shares: tuple[float, ...]
    other_shares: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """The time of the pass on this side over that on the other."""
        return self.seconds / self.other_seconds


def whole(products: Sequence[tuple[int, Paired]]) -> Whole:
    """Add up products, each with how often a pass makes it.

    Raises:
        ValueError: there are none, or a count is below 1.
    """
    if not products or any(count < 1 for count, _ in products):
        raise ValueError("a pass has products, each at least once")
    theirs = [count * one.other_seconds for count, one in products]
    mine = [time * one.ratio for time, (_, one) in zip(theirs, products, strict=True)]
    seconds, other = sum(mine), sum(theirs)
    shares = tuple(time / seconds for time in mine)
    down = _together(shares, [log(one.ratio / one.low) for _, one in products])
    up = _together(shares, [log(one.high / one.ratio) for _, one in products])
    return Whole(
        seconds,
        other,
        low=seconds / other * exp(-down),
        high=seconds / other * exp(up),
        shares=shares,
        other_shares=tuple(time / other for time in theirs),
    )


def _together(shares: Sequence[float], halves: Sequence[float]) -> float:
    """Return half of the interval of the log ratio of a pass, from those of its products."""
    common = Z95 * BETWEEN
    own = (sqrt(max(0.0, half**2 - common**2)) for half in halves)
    return hypot(common, *(share * half for share, half in zip(shares, own, strict=True)))
