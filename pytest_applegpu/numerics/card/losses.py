"""Where along K are threes of terms tried, and what was lost where?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from pytest_applegpu.numerics.card.ask import Ask
from pytest_applegpu.numerics.card.triples import Three, Way, lost


@dataclass(frozen=True, slots=True)
class Losses:
    """Ways that lose s, by the three positions.

    Attributes:
        first: position 0, the middle of the window, and each other one of the window: position 0
            is in the sum already when terms near the middle come.
        middle: threes from the middle of the window on, its first position being one of them.
        far: threes that lie all over K.
        window: neighbouring positions that were explored.
    """

    first: dict[Three, tuple[Way, ...]]
    middle: dict[Three, tuple[Way, ...]]
    far: dict[Three, tuple[Way, ...]]
    window: int

    @property
    def every(self) -> dict[Three, tuple[Way, ...]]:
        """All of them."""
        return self.first | self.middle | self.far


def losses(ask: Ask) -> Losses:
    """Try threes near each other, and some far from each other."""
    start, end, k = ask.start, ask.start + ask.window, ask.k
    half = start + ask.window // 2
    first = [(0, half, other) for other in range(start, end) if other not in {0, half}]
    middle = [(half, *pair) for pair in combinations(range(half + 1, end), 2)]
    far = {(0, k // 4, k // 2), (0, k // 2, k - 1), (k // 4, k // 2, 3 * k // 4)}
    near, block, wide = (lost(ask, threes) for threes in (first, middle, sorted(far)))
    return Losses(near, block, wide, ask.window)
