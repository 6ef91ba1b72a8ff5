"""Which threadgroups have nothing to do, which arithmetic is padding, and is the GPU filled?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import prod
from typing import Final

from pytest_applegpu.device.chips import APPLE
from pytest_applegpu.lint.extents import Extent
from pytest_applegpu.lint.subject import Fault, Subject, groups, partitions
from pytest_applegpu.routing.copies import ceil_div
from pytest_applegpu.routing.launch import Launch

IDLE_SHARE: Final = 0.5
IDLE_GROUPS: Final = 64

PADDED: Final = 8
"""Times the arithmetic asked for from which on padding counts."""

PADDED_WORK: Final = 1 << 30
"""Multiply-adds below which padding is too little to matter."""

FEW: Final = 4
"""Cores for each threadgroup from which on a GPU counts as empty."""

LONG_WALK: Final = 8192
"""K that a threadgroup walks alone from which on it lasts."""

FEWEST_CORES: Final = 8

_SORTED: Final = "_rhs"


def idle_groups(subject: Subject) -> Iterator[Fault]:
    """Yield launches in which half of the threadgroups, and many, return at once."""
    for launch, sizes in subject.multiplied:
        wanted = tiles(launch, sizes)
        if wanted is None:
            continue
        asked, needed = groups(launch), wanted * partitions(launch)
        idle = asked - needed
        if idle >= IDLE_GROUPS and idle >= IDLE_SHARE * asked:
            yield Fault(launch.label, f"{idle} of {asked} threadgroups have no tile")


def padded(subject: Subject) -> Iterator[Fault]:
    """Yield launches whose tiles reach far past the result, with much arithmetic on padding."""
    for launch, sizes in subject.multiplied:
        wanted, tile = tiles(launch, sizes), launch.tile
        if wanted is None or tile is None:
            continue
        done = wanted * tile.bm * tile.bn * sizes.k
        asked = sizes.m * sizes.n * sizes.k * sizes.batch
        if done >= PADDED * asked and done - asked >= PADDED_WORK:
            yield Fault(
                launch.label,
                f"{done / asked:.0f} times the multiply-adds: {tile.bm}x{tile.bn} tiles for "
                f"{sizes.m}x{sizes.n}",
            )


def underfilled(subject: Subject) -> Iterator[Fault]:
    """Yield launches of long K with a threadgroup for every fourth core at the most."""
    for launch, sizes in subject.multiplied:
        busy = _busy(launch, sizes)
        walk = sizes.k // partitions(launch)
        cores = fewest_cores(subject.target.arch)
        if launch.role == "matmul" and busy and busy * FEW <= cores and walk >= LONG_WALK:
            yield Fault(
                launch.label,
                f"{busy} threadgroups for {cores} cores or more, each walks K = {walk} alone",
            )


def tiles(launch: Launch, sizes: Extent) -> int | None:
    """Return the tiles that a result has; None for other kernels, and where data decides."""
    tile = launch.tile
    if tile is None or launch.role != "matmul" or _SORTED in launch.label:
        return None
    return ceil_div(sizes.m, tile.bm) * ceil_div(sizes.n, tile.bn) * sizes.batch


def _busy(launch: Launch, sizes: Extent) -> int:
    """Return the threadgroups that have something to do; those of a dot product are all."""
    wanted = tiles(launch, sizes)
    return prod(launch.grid) if wanted is None else wanted * partitions(launch)


@cache
def fewest_cores(arch: str) -> int:
    """Return the fewest GPU cores that an architecture is sold with."""
    known = [chip.gpu_cores for chip in APPLE if chip.architecture == arch]
    return min(known, default=FEWEST_CORES)
