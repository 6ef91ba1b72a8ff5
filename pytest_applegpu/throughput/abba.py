"""In which order do two live workers take turns, and how many rounds of it fit?

A round is A B B A: a drift that is linear in time lengthens both sides alike. Which side begins is
drawn for each round, half of them begun by either, so that what the first submission after a change
of sides pays falls on both.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np


class Round(NamedTuple):
    """Seconds of both submissions of either side, each of the same count of operations."""

    this: tuple[float, float]
    other: tuple[float, float]


def beginners(rounds: int, random: np.random.Generator) -> list[bool]:
    """Return of each round whether this side begins it; the other one begins half of them.

    Raises:
        ValueError: `rounds` is below 1.
    """
    if rounds < 1:
        raise ValueError(f"{rounds} rounds: they start at 1")
    begun = np.arange(rounds) % 2 == 0
    return [bool(one) for one in random.permutation(begun)]


def turns(begins: bool) -> Iterator[tuple[bool, int]]:
    """Yield whose turn it is in a round (True: this side's), and for how many submissions."""
    for side, group in groupby((begins, not begins, not begins, begins)):
        yield side, len(list(group))


def read_round(begins: bool, seconds: tuple[float, float, float, float]) -> Round:
    """Return a round from its four times, in the order in which they were taken."""
    outer, inner = (seconds[0], seconds[3]), (seconds[1], seconds[2])
    return Round(outer, inner) if begins else Round(inner, outer)


def rounds_within(seconds: float, budget_seconds: float, *, least: int, most: int) -> int:
    """Return how many rounds fit into a budget where a submission takes `seconds`.

    Raises:
        ValueError: `seconds` is not above 0, or the limits are out of order.
    """
    if not (seconds > 0 and 0 < least <= most):
        raise ValueError(f"{least} to {most} rounds of {seconds} s are none")
    return max(least, min(most, int(budget_seconds / (4 * seconds))))
