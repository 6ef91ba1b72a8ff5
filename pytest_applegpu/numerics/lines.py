"""Which rule do some rows, or columns, of a matrix follow?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from pytest_applegpu.numerics.rounding import Array

PERIODS: Final = (2, 4, 8, 16, 32, 64, 128)
LISTED: Final = 4
"""Lines without a rule that are listed one by one; more are not named."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Rows or columns: those from `start` to before `stop`, of a matrix that has `size` of them.

    Attributes:
        start: the first of them.
        stop: one more than the last of them.
        size: rows or columns of the matrix.
        period: where they come back, after how many; else None.
        remainders: where they come back, the first and last remainder by `period`.
        listed: where they follow no rule, all of them.
    """

    start: int
    stop: int
    size: int
    period: int | None = None
    remainders: tuple[int, int] = (0, 0)
    listed: tuple[int, ...] = ()

    @property
    def is_span(self) -> bool:
        """Whether they follow one another without a gap."""
        return self.period is None and not self.listed

    def text(self, word: str) -> str:
        """Name them, as `word`: row or column."""
        if self.listed:
            return f"{word}s {', '.join(map(str, self.listed))}"
        if self.period is not None:
            return f"{word}s = {_from_to(*self.remainders)} mod {self.period}"
        return self._span(word)

    def _span(self, word: str) -> str:
        number, last = self.stop - self.start, self.stop - 1
        if number == 1:
            return f"the last {word} ({last})" if self.stop == self.size else f"{word} {last}"
        if self.stop == self.size:
            return f"last {number} {word}s ({word}s >= {self.start})"
        return f"{word}s {self.start} to {last}" if self.start else f"first {number} {word}s"


def _from_to(first: int, last: int) -> str:
    return f"{first} to {last}" if first != last else str(first)


def lines_of(indices: Array, size: int) -> Lines | None:
    """Return the rule of some lines, ascending and at least one, out of `size`; None for none."""
    start, stop, number = int(indices[0]), int(indices[-1]) + 1, len(indices)
    plain = Lines(start, stop, size)
    if stop - start == number:
        return plain
    listed = tuple(map(int, indices)) if number <= LISTED else ()
    return _periodic(indices, plain) or (
        Lines(start, stop, size, listed=listed) if listed else None
    )


def _periodic(indices: Array, plain: Lines) -> Lines | None:
    step, size = int(indices[1] - indices[0]), plain.size
    for period in dict.fromkeys((*PERIODS, step)):
        remainders = np.unique(indices % period)
        contiguous = remainders[-1] - remainders[0] + 1 == len(remainders) < period
        whole = np.flatnonzero(np.isin(np.arange(size) % period, remainders))
        if contiguous and 2 * period <= size and np.array_equal(whole, indices):
            ends = int(remainders[0]), int(remainders[-1])
            return Lines(plain.start, plain.stop, size, period, ends)
    return None
