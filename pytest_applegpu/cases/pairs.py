"""Which few rows hold every pair of choices that may stand together?

Greedy, after D. M. Cohen, S. R. Dalal, M. L. Fredman, G. C. Patton, The AETG system (IEEE Trans.
Software Eng., 1997): each row is the best of a few, each of its levels the one that makes most new
pairs with those chosen before it. Sets of levels are the bits of a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

import numpy as np

Row = dict[str, Any]
"""A level for each factor."""

Levels = Mapping[str, tuple[Any, ...]]

Excluded = Mapping[str, tuple[Any, ...]]
"""Two factors, and levels of each that must not stand together in one row."""

_TRIES: Final = 6
"""Rows that are drawn, of which the best is taken."""


def pairwise_rows(levels: Levels, excluded: Sequence[Excluded], seed: int) -> Iterator[Row]:
    """Yield rows until every allowed pair of levels of two factors stood in one.

    Raises:
        ValueError: some choice of levels leaves none for another factor.
    """
    random = np.random.Generator(np.random.Philox([seed, 0x9A]))
    table = _Table(levels, excluded)
    while any(table.open):
        rows = [table.drawn(random) for _ in range(_TRIES)]
        best = max(rows, key=table.gain)
        table.take(best)
        yield {table.names[one][0]: table.names[one][1] for one in best}


class _Table:
    """Levels by number, the pairs that are still open, and those that are forbidden."""

    def __init__(self, levels: Levels, excluded: Sequence[Excluded]) -> None:
        self.names = [(name, level) for name, some in levels.items() for level in some]
        number = {name: place for place, name in enumerate(self.names)}
        self.factors = [[number[name, one] for one in some] for name, some in levels.items()]
        self.forbidden = [0] * len(self.names)
        for one in excluded:
            (first, some), (second, others) = one.items()
            for x, y in product(some, others):
                self._forbid(number[first, x], number[second, y])
        whole = [_bits(factor) for factor in self.factors]
        every = sum(whole)
        own = {
            one: bits for bits, factor in zip(whole, self.factors, strict=True) for one in factor
        }
        self.open = [every & ~own[one] & ~self.forbidden[one] for one in range(len(self.names))]

    def _forbid(self, one: int, other: int) -> None:
        self.forbidden[one] |= 1 << other
        self.forbidden[other] |= 1 << one

    def drawn(self, random: np.random.Generator) -> list[int]:
        """Return the levels of a row that begins with the level of most open pairs."""
        most = max(range(len(self.names)), key=lambda one: self.open[one].bit_count())
        factors = [self.factors[place] for place in random.permutation(len(self.factors))]
        factors.sort(key=lambda factor: most not in factor)
        chosen, row = [most], 1 << most
        for factor in factors[1:]:
            allowed = [one for one in factor if not self.forbidden[one] & row]
            if not allowed:
                raise ValueError(f"no level is left for {self.names[factor[0]][0]}")
            gains = [(self.open[one] & row).bit_count() for one in allowed]
            best = [one for one, gain in zip(allowed, gains, strict=True) if gain == max(gains)]
            chosen.append(best[random.integers(len(best))])
            row |= 1 << chosen[-1]
        return chosen

    def gain(self, row: list[int]) -> int:
        """Return how many open pairs a row holds, each counted from both sides."""
        bits = _bits(row)
        return sum((self.open[one] & bits).bit_count() for one in row)

    def take(self, row: list[int]) -> None:
        """Close the pairs of a row."""
        bits = _bits(row)
        for one in row:
            self.open[one] &= ~bits


def _bits(numbers: Sequence[int]) -> int:
    return sum(1 << one for one in numbers)
