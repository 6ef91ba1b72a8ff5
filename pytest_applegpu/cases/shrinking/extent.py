"""At which sizes does a fault show? The simplest rule that agrees with all that was tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import gcd
from typing import Final

from pytest_applegpu.cases.shrinking.sizes import PERIODS

Seen = Mapping[int, bool]
"""Sizes that were tried, and whether each failed."""

_COMPOSITE: Final = (24, 48, 96, 100, 720, 1920, 5040, 5760, 6000, 6720)
"""Sizes with many divisors: most periods that a fault can have divide one of them."""


@dataclass(frozen=True, slots=True)
class Extent:
    """Sizes from `first` to `last` (None: no end) that are `residue` modulo `period`.

    `outside` says that they are not: every size of the range but those.
    """

    first: int | None = None
    last: int | None = None
    period: int = 1
    residue: int = 0
    outside: bool = False

    def holds(self, size: int) -> bool:
        """Tell whether the fault shows at `size`, if this is the rule."""
        if not (self.first or size) <= size <= (self.last or size):
            return False
        return (size % self.period == self.residue) != self.outside

    def agrees(self, seen: Seen) -> bool:
        """Tell whether nothing that was tried speaks against it."""
        return all(self.holds(size) == failed for size, failed in seen.items())


def fitted(seen: Seen) -> Extent | None:
    """Return the simplest rule for what was tried; None where none agrees with all of it.

    Of several periods the largest is taken: a smaller one says more than was seen, since it names
    sizes that nobody tried. `refuting` says which to try.
    """
    return next((one for one in _candidates(seen) if one.agrees(seen)), None)


def _candidates(seen: Seen) -> Iterator[Extent]:
    failing = sorted(size for size, failed in seen.items() if failed)
    if not failing:
        return
    low, high = failing[0], failing[-1]
    yield Extent()
    yield Extent(first=low)
    yield Extent(last=high)
    if low == high:
        yield Extent(low, high)
    for first in (None, low):
        right = [size for size, failed in seen.items() if not failed and size >= (first or 0)]
        yield from _periodic(first, failing, right)
    yield Extent(low, high)


def _periodic(first: int | None, failing: list[int], right: list[int]) -> Iterator[Extent]:
    """Yield rules of a period, multiples before other classes."""
    for divided in (False, True):
        for sizes, outside in ((right, True), (failing, False)):
            base = min(sizes, default=0) if divided else 0
            period = gcd(*(size - base for size in sizes))
            if period > 1:
                yield Extent(first, None, period, base % period, outside)


def probes(smallest: int, original: int) -> list[int]:
    """Return the sizes to try first, where `smallest` is the smallest that fails, the near first.

    They lie round both, at powers of two, and at sizes with many divisors.
    """
    top = 2 * max(smallest, original, 512)
    near = [smallest + step for step in (-1, 1, 2, 3)]
    near += [original, original - 1, original + 1]
    powers = [1 << exponent for exponent in range(1, top.bit_length())]
    beside = [power + step for power in powers[-2:] for step in (-1, 1)]
    found = dict.fromkeys((*near, *powers, *beside, 63, 65, *_COMPOSITE))
    return [size for size in found if size > 0]


def refuting(extent: Extent, seen: Seen) -> list[int]:
    """Return sizes not yet tried that would speak against a rule, were it wrong.

    For a period: further members of the class, what lies beside them, and members of the classes
    of every smaller period that divides it. Where the fault ends: sizes at common periods from it.
    """
    if extent.last is not None:
        ends = dict.fromkeys((extent.first or 1, extent.last))
        found = [size for end in ends for size in (end - 1, end + 1, 2 * end, 3 * end)]
        found += [end + period for end in ends for period in PERIODS]
    elif extent.period > 1:
        found = _of_period(extent, seen)
    else:
        found = []
    return [size for size in dict.fromkeys(found) if size > 0 and size not in seen]


def _of_period(extent: Extent, seen: Seen) -> list[int]:
    """Return sizes round the first member of the class, and round the first one that was tried."""
    period, first = extent.period, extent.first or 1
    lowest = first + (extent.residue - first) % period
    tried = [size for size in seen if size >= first and size % period == extent.residue]
    finer = [period // prime for prime in _primes(period)]
    steps = (0, 1, -1, *finer, *(times * period for times in (1, 2, 3, 5)), 2 * period + 1)
    return [anchor + step for anchor in (min(tried, default=lowest), lowest) for step in steps]


def _primes(number: int) -> list[int]:
    found = []
    for divisor in range(2, number + 1):
        if divisor * divisor > number:
            break
        if number % divisor == 0:
            found.append(divisor)
            while number % divisor == 0:
                number //= divisor
    return [*found, number] if number > 1 else found


def edge(extent: Extent | None, seen: Seen) -> tuple[int, int] | None:
    """Return two tried neighbours, the one that is right and the one that fails.

    That is where the rule begins, else round a multiple of its period; None where there are none.
    """
    pairs = [
        (size + step, size)
        for size, failed in sorted(seen.items())
        for step in (-1, 1)
        if failed and seen.get(size + step) is False
    ]
    if extent is not None and extent.outside:
        # Past a whole tile, where the tail begins, rather than before it.
        pairs.sort(key=lambda pair: pair[0] > pair[1])
    return next(iter(pairs), None)
