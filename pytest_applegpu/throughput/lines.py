"""Where are the lines that verdicts on speed are drawn by, and in which words are they said?

One rate of false alarms holds for a whole run and is shared out over its timed cases (Bonferroni),
so that each case can be decided by itself, as a run that is resumed or spread over processes needs.
Ratios are of times: above 1 is slower.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final, Literal

Word = Literal["same", "faster", "slower", "unstable"]


@dataclass(frozen=True, slots=True)
class Lines:
    """`alarms` is how often a run in which nothing has changed may be red, `floor` the least limit.

    Beyond `blind`, the smallest slowdown that could have been seen makes a verdict `unstable`.
    """

    alarms: float = 0.01
    floor: float = 1.03
    blind: float = 1.1


LINES: Final = Lines()
"""The lines that verdicts are drawn by, where nothing else is asked for."""


def share_of(timed: int, lines: Lines = LINES) -> float:
    """Return how likely one of `timed` cases may be a false alarm.

    Raises:
        ValueError: `timed` is below 1.
    """
    if timed < 1:
        raise ValueError(f"{timed} timed cases: they start at 1")
    return lines.alarms / timed


def allowed(timed: int, lines: Lines = LINES) -> float:
    """Return how likely a first measurement may raise a suspicion that is none.

    The root of the case's share: of two measurements that know nothing of each other, both are
    wrong as often as the share says.

    Raises:
        ValueError: `timed` is below 1.
    """
    return sqrt(share_of(timed, lines))


def change(ratio: float) -> str:
    """Return a ratio of times in words: `1.30x slower`, `2.00x faster` or `as fast`."""
    factor = f"{max(ratio, 1 / ratio):.2f}x"
    return "as fast" if factor == "1.00x" else f"{factor} {'slower' if ratio > 1 else 'faster'}"


def unseen(seen: float) -> str:
    """Say which slowdowns a comparison was blind to."""
    return f"a slowdown under {seen:.3f}x could not have been seen"
