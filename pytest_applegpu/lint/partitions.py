"""Is K cut into parts that are worth having?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pytest_applegpu.lint.extents import Extent
from pytest_applegpu.lint.subject import Fault, Subject, partitions
from pytest_applegpu.routing.launch import Launch

LOPSIDED: Final = 2
"""Times an even share from which on the longest part holds too much."""

SLIVER: Final = 16
"""Parts of an even share below which a part is hardly worth a threadgroup."""

NO_TAIL: Final = ("qmm_t", "gather_qmm_t", "qmm_t_splitk")
"""Kernels that walk K in whole steps and read on past its end where it is not."""


@dataclass(frozen=True, slots=True)
class Cut:
    """K cut into `parts`: all but the last are `size` long, the last takes what is left."""

    k: int
    parts: int
    size: int
    capped: bool
    """Whether no part is longer than `size`, so that a last one may be short or empty."""

    @property
    def last(self) -> int:
        """Length of the last part."""
        return max(self.k - (self.parts - 1) * self.size, 0)

    @property
    def longest(self) -> int:
        """Length of the longest part."""
        return max(self.size, self.last)

    @property
    def empty(self) -> int:
        """Number of parts without any k."""
        if self.size == 0:
            return self.parts - (self.last > 0)
        return self.parts - -(-self.k // self.size) if self.capped else 0

    def __str__(self) -> str:
        """Text for people."""
        return f"K = {self.k} in {self.parts} parts of {self.size}, the last one of {self.last}"


def cuts(subject: Subject) -> Iterator[tuple[Launch, Cut, Extent]]:
    """Yield the launches that cut K, and how."""
    for launch, sizes in subject.multiplied:
        parts = partitions(launch)
        if parts < 2:
            continue
        size = launch.params.get("partition_size", sizes.k // parts)
        yield launch, Cut(sizes.k, parts, size, capped=launch.label == "splitk_nax"), sizes


def empty_partition(subject: Subject) -> Iterator[Fault]:
    """Yield cuts that leave parts without any k."""
    for launch, cut, _ in cuts(subject):
        if cut.empty:
            yield Fault(launch.label, f"{cut}: {cut.empty} parts are empty")


def lopsided(subject: Subject) -> Iterator[Fault]:
    """Yield cuts whose longest part is a multiple of an even share, and sets the pace alone."""
    for launch, cut, _ in cuts(subject):
        share = cut.k / cut.parts
        if not cut.empty and cut.longest >= LOPSIDED * share:
            yield Fault(launch.label, f"{cut}: {cut.longest / share:.1f} times an even share")


def sliver(subject: Subject) -> Iterator[Fault]:
    """Yield cuts whose last part is next to nothing, yet has a whole result of partial sums."""
    for launch, cut, _ in cuts(subject):
        if 0 < cut.last * SLIVER <= cut.size:
            yield Fault(launch.label, f"{cut}: {cut.last} k for a partial result of its own")


def cut_within_a_step(subject: Subject) -> Iterator[Fault]:
    """Yield cuts of a K that a threadgroup would take in one step of its loop."""
    for launch, cut, _ in cuts(subject):
        tile = launch.tile
        if tile is not None and launch.label == "splitk_nax" and cut.k <= tile.bk:
            yield Fault(launch.label, f"{cut}; one step is {tile.bk}")


def ragged_step(subject: Subject) -> Iterator[Fault]:
    """Yield K, or parts of it, that are not whole steps of a kernel that knows whole steps only."""
    for launch, sizes in subject.multiplied:
        tile = launch.tile
        if tile is None or launch.label not in NO_TAIL:
            continue
        parts = partitions(launch)
        length = sizes.k // parts
        if length % tile.bk:
            whose = f"each of {parts} parts of K = {sizes.k} has" if parts > 1 else "K is"
            yield Fault(
                launch.label,
                f"{whose} {length}: {length % tile.bk} beyond whole steps of {tile.bk}",
            )
