"""Where along each size does the smallest failing case begin to fail, as far as it was tried?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pytest_applegpu.cases.case import Case
from pytest_applegpu.cases.shrinking.extent import Extent, Seen, edge, fitted, probes, refuting
from pytest_applegpu.cases.shrinking.saying import sentence
from pytest_applegpu.cases.shrinking.sizes import Axis, axes, smaller
from pytest_applegpu.cases.shrinking.tries import Tries

_REFITS: Final = 12
"""How often a rule along a size may be refuted and replaced by another."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """Two cases that differ by one in one size, of which one is right and the other fails."""

    axis: Axis
    right: Case
    wrong: Case


@dataclass
class Edges:
    """What is found along the sizes of the smallest case; `first` is the one it came from."""

    first: Case
    smallest: Case
    tries: Tries
    crossings: list[Crossing] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    _always: list[tuple[str, int, int]] = field(default_factory=list)

    def find(self) -> None:
        """Look along each size; where no further case may be run, say what is known already."""
        for axis in axes(self.smallest):
            if axis.of(self.smallest) > 0:
                self._along(axis)
        if self._always:
            spans = (f"{name} from {low} to {high}" for name, low, high in self._always)
            self.said.append(f"fails at every size tried of {', '.join(spans)}")

    def _along(self, axis: Axis) -> None:
        seen = self._recalled(axis)
        with self.tries.until_spent():
            self._probe(axis, seen)
            self._settle(axis, seen)
        extent = fitted(seen)
        if extent != Extent():
            self.said.append(sentence(axis.name, extent, seen))
            self._cross(axis, extent, seen)
        elif len(seen) > 1:
            self._always.append((axis.name, min(seen), max(seen)))

    def _recalled(self, axis: Axis) -> dict[int, bool]:
        """Return what the search has tried along a size, all else being as it is now."""
        own = axis.of(self.smallest)
        cases = {size: axis.resized(self.smallest, size) for size in smaller(own)}
        known = {size: self.tries.known(case) for size, case in cases.items()}
        return {size: failed for size, failed in known.items() if failed is not None} | {own: True}

    def _probe(self, axis: Axis, seen: dict[int, bool]) -> None:
        """Try sizes round the smallest case's and the first one's."""
        own = axis.of(self.smallest)
        first = axis.of(self.first) if axis in axes(self.first) else own
        for size in probes(own, first):
            self._see(axis, size, seen)

    def _see(self, axis: Axis, size: int, seen: dict[int, bool]) -> None:
        failed = self.tries(axis.resized(self.smallest, size))
        if failed is not None:
            seen[size] = failed

    def _settle(self, axis: Axis, seen: dict[int, bool]) -> None:
        """Try sizes that would refute the rule that agrees so far, until none does."""
        for _ in range(_REFITS):
            extent = fitted(seen)
            if extent is None:
                return
            for size in refuting(extent, seen):
                self._see(axis, size, seen)
            if extent.agrees(seen):
                return

    def _cross(self, axis: Axis, extent: Extent | None, seen: Seen) -> None:
        pair = edge(extent, seen)
        if pair is not None:
            with self.tries.until_spent():
                self.crossings += self._crossed(axis, *pair)

    def _crossed(self, axis: Axis, right: int, wrong: int) -> Iterator[Crossing]:
        """Yield the neighbours at the smallest sizes and, where they differ there too, the first.

        The dispatch may take another turn at the sizes that were asked for.
        """
        for base in dict.fromkeys((self.smallest, self.first)):
            if axis not in axes(base):
                continue
            below, above = (axis.resized(base, size) for size in (right, wrong))
            if below and above and self.tries(above) and self.tries(below) is False:
                yield Crossing(axis, below, above)
