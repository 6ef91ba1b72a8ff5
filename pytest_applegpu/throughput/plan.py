"""How many operations go into one submission, and in which order are submissions made?

A worker does one thing for a measurement: it submits `count` operations at once, evaluates them
all, and returns the wall seconds that took. This module says which counts to ask for.
"""

from __future__ import annotations

from math import ceil
from typing import Final

AIM: Final = 1.2
"""How far past the target a grown count aims, so that one more step usually suffices."""

FASTEST_GROWTH: Final = 10.0
"""Largest step: the first submissions also pay for compilation and clocks that ramp up."""


def next_count(count: int, seconds: float, target_seconds: float, most: int) -> int | None:
    """Return the count to try after `count` operations took `seconds`, None when they suffice.

    Counts grow until one submission takes `target_seconds`, or holds `most` operations, which is
    what memory or the longest allowed submission leaves room for.

    Raises:
        ValueError: a count below 1, a negative time, or a target that is not above 0.
    """
    if count < 1 or most < 1:
        raise ValueError(f"counts start at 1, not {min(count, most)}")
    if not (seconds >= 0 and target_seconds > 0):
        raise ValueError(f"{seconds} s of {target_seconds} s is no measurement")
    if seconds >= target_seconds or count >= most:
        return None
    wanted = AIM * target_seconds / max(seconds, AIM * target_seconds / FASTEST_GROWTH)
    return min(most, max(count + 1, ceil(count * wanted)))


def piece_of(seconds: float, piece_seconds: float, most: int) -> int:
    """Return how many operations of `seconds` each take `piece_seconds` together, 1 to `most`.

    Raises:
        ValueError: `piece_seconds` is not above 0, or `most` is below 1.
    """
    if not (piece_seconds > 0 and most >= 1):
        raise ValueError(f"a piece of {piece_seconds} s and {most} operations holds nothing")
    return max(1, min(most, ceil(piece_seconds / max(seconds, piece_seconds / most))))


def pairs_within(seconds: float, budget_seconds: float, *, least: int = 6, most: int = 40) -> int:
    """Return how many pairs fit into a budget when a submission of n operations takes `seconds`.

    A pair costs three such submissions. The number is even, so that `rounds` is balanced, and
    six is the fewest whose extremes are a 95 % interval of the median (2 * 0.5**6 = 3 %).

    Raises:
        ValueError: `seconds` is not above 0, or the limits are odd or out of order.
    """
    if not seconds > 0:
        raise ValueError(f"a submission cannot take {seconds} s")
    if least % 2 or most % 2 or not 0 < least <= most:
        raise ValueError(f"limits {least} and {most} must be even and in order")
    fitting = int(min(budget_seconds / (3 * seconds), most))
    return max(least, fitting - fitting % 2)


def rounds(n: int, pairs: int) -> list[int]:
    """Return the counts of `pairs` pairs in the order n, 2n, 2n, n, n, 2n, ... (A B B A).

    A drift that is linear in time lengthens one pair's difference and shortens the next one's by
    as much, so an even number of pairs cancels it.

    Raises:
        ValueError: `n` or `pairs` is below 1.
    """
    if n < 1 or pairs < 1:
        raise ValueError(f"{pairs} pairs of {n} operations: both start at 1")
    return [count for pair in range(pairs) for count in ((n, 2 * n), (2 * n, n))[pair % 2]]
