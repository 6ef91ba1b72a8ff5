"""Does one more row, column or k make the kernels last several times as long?

How long a tiled launch lasts is told by a model without memory: waves of threadgroups over the
cores, times the multiply-adds of a threadgroup, the accelerators four times as fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_applegpu.lint.axes import axes
from pytest_applegpu.lint.describe import described
from pytest_applegpu.lint.subject import Fault, Subject, partitions
from pytest_applegpu.lint.waste import fewest_cores, tiles
from pytest_applegpu.routing.copies import ceil_div
from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.launch import Refused
from pytest_applegpu.routing.lines import call_of

TIMES: Final = 3
"""Times as long from which on one more is a cliff: a second wave of tiles alone is no more than
twice."""

LEAST_SIDE: Final = 64
LEAST_WORK: Final = 1 << 26
"""Multiply-adds of one core, one after another, below which a launch is over at once."""

NAX_RATE: Final = 4

_SIZES: Final = frozenset({"M", "N", "K"})


def cliff(subject: Subject) -> Iterator[Fault]:
    """Yield sizes of which one more step lasts several times as long."""
    now = _lasts(subject)
    if now is None or now < LEAST_WORK // TIMES or not _large(subject):
        return
    line = described(subject.call, subject.target)
    if _unreadable(line):
        return
    for axis in axes(line):
        if axis.name not in _SIZES:
            continue
        size = axis.of(line)
        more = _subject(axis.resized(line, size + axis.step), subject)
        then = _lasts(more) if more is not None else None
        grown = (size + axis.step) / size
        if more is not None and then is not None and then >= max(TIMES * grown * now, LEAST_WORK):
            kernels = f"{_labels(subject)} to {_labels(more)}"
            yield Fault(
                f"{axis.name}: {kernels}",
                f"{axis.name} {size} to {size + axis.step}: {then / now:.1f} times as long",
            )


def _large(subject: Subject) -> bool:
    return all(min(sizes.m, sizes.n) >= LEAST_SIDE for _, sizes in subject.multiplied)


def _unreadable(line: dict[str, object]) -> bool:
    return any(field.endswith("_strides") for field in line)


def _subject(line: dict[str, object], like: Subject) -> Subject | None:
    try:
        call = call_of(line)
        route = route_of(call, like.target)
    except (ValueError, Refused):
        return None
    return None if route.error is not None else Subject(call, like.target, route)


def _lasts(subject: Subject) -> int | None:
    """Return how long the tiled launches last, in multiply-adds of one core; None without any."""
    total = 0
    cores = fewest_cores(subject.target.arch)
    for launch, sizes in subject.multiplied:
        wanted, tile = tiles(launch, sizes), launch.tile
        if wanted is None or tile is None:
            return None
        parts = partitions(launch)
        waves = ceil_div(wanted * parts, cores)
        work = waves * tile.bm * tile.bn * ceil_div(sizes.k, parts)
        total += work // NAX_RATE if "nax" in launch.kernel else work
    return total or None


def _labels(subject: Subject) -> str:
    return "+".join(launch.label for launch, _ in subject.multiplied)
