"""Which path does each point of a plane of sizes take, and at which sizes does it change?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from math import log2
from typing import Final

from pytest_applegpu.routing.calls import Matmul
from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.layouts import operand
from pytest_applegpu.routing.target import Target

MOST: Final = {"M": 16384, "N": 16384, "K": 65536}
"""The largest size on each axis."""

ALIGNED: Final = 4
"""Sizes looked at are multiples of this from here on: of K that decides by itself."""

_LONG: Final = 0.06
"""Part of the plane's width or height that a boundary runs along to be named."""

PLANES: Final = {"mn": ("N", "M"), "mk": ("M", "K")}
"""What the horizontal and the vertical axis of each plane are."""


@dataclass(frozen=True)
class Plane:
    """Products of one format and transpose on one target: two sizes vary, the third is `fixed`."""

    target: Target
    dtype: str
    transpose: str
    axes: tuple[str, str]
    fixed: tuple[str, int]
    steps: int = 16
    """Sizes looked at in each octave, beside those where the path changes."""

    def path(self, across: int, up: int) -> str:
        """Return the path at sizes `across` on the horizontal and `up` on the vertical axis."""
        sizes = {self.axes[0]: across, self.axes[1]: up, self.fixed[0]: self.fixed[1]}
        ta, tb = (letter == "t" for letter in self.transpose)
        a = operand((sizes["M"], sizes["K"]), self.dtype, None, transpose=ta)
        b = operand((sizes["K"], sizes["N"]), self.dtype, None, transpose=tb)
        return route_of(Matmul(a, b), self.target).path

    def _turned(self, up: int, across: int) -> str:
        return self.path(across, up)

    @cached_property
    def changes(self) -> tuple[dict[int, set[int]], ...]:
        """Where the path changes along each axis: the size, by the lattice size of the other."""
        across, up = (lattice(MOST[axis], self.steps) for axis in self.axes)
        along_x = {y: set(_changes(across, partial(self._turned, y))) for y in up}
        along_y = {x: set(_changes(up, partial(self.path, x))) for x in across}
        return along_x, along_y

    @cached_property
    def straight(self) -> tuple[list[int], list[int]]:
        """The sizes on each axis at which a long straight boundary stands."""
        return _long(self.changes[0]), _long(self.changes[1])

    @cached_property
    def slopes(self) -> list[tuple[int, int, int]]:
        """Long boundaries along a line through the origin: the slope, and a point in its middle."""
        found: dict[int, list[tuple[int, int]]] = {}
        for x, heights in self.changes[1].items():
            for y in heights:
                slope = round(y / x)
                if slope and abs(y - slope * x) <= 1 and x > 1:
                    found.setdefault(slope, []).append((x, y))
        least = _LONG * len(self.changes[1])
        middles = {
            slope: points[len(points) // 2]
            for slope, points in found.items()
            if len(points) >= least
        }
        return [(slope, x, y) for slope, (x, y) in sorted(middles.items())]

    @cached_property
    def grid(self) -> tuple[list[int], list[int], list[list[str]]]:
        """Sizes on both axes, and the path at each: a row for each vertical size.

        A size stands for all up to the next one, a boundary in K for the next multiple of 4.
        """
        raised = [_aligned if axis == "K" else int for axis in self.axes]
        xs, ys = (
            sorted({*lattice(MOST[axis], self.steps), *straight})
            for axis, straight in zip(self.axes, self.straight, strict=True)
        )
        return xs, ys, [[self.path(raised[0](x), raised[1](y)) for x in xs] for y in ys]


def lattice(most: int, steps: int) -> list[int]:
    """Return sizes from 1 to `most`, spread in their logarithm, from 4 on multiples of 4."""
    octaves = most.bit_length() - 1
    spread = {round(2 ** (step / steps)) for step in range(octaves * steps + 1)}
    return sorted({*range(1, ALIGNED), *(_aligned(size) for size in spread if size >= ALIGNED)})


def _aligned(size: int) -> int:
    return size if size < ALIGNED else -(-size // ALIGNED) * ALIGNED


def _changes(sizes: Sequence[int], path: Callable[[int], str]) -> Iterable[int]:
    """Yield the first size after each change of path."""
    known = {size: path(size) for size in sizes}
    for low, high in pairwise(sizes):
        if known[low] != known[high]:
            yield _first_after(low, high, known[low], path)


def _first_after(low: int, high: int, before: str, path: Callable[[int], str]) -> int:
    while high - low > 1:
        middle = (low + high) // 2
        if path(middle) == before:
            low = middle
        else:
            high = middle
    return high


def _long(changes: dict[int, set[int]]) -> list[int]:
    """Return the sizes at which the path changes along much of the other axis."""
    lines = sorted(changes)
    whole = log2(lines[-1] / lines[0])
    lengths: dict[int, float] = {}
    for line, after in pairwise(lines):
        for size in changes[line]:
            lengths[size] = lengths.get(size, 0.0) + log2(after / line)
    return sorted(size for size, length in lengths.items() if length >= _LONG * whole)
