"""Where does MLX change the kernel, and which two problems lie on either side?

The dispatch rules are asked along M, N, K and the batch, at lattice points; between two that take
different routes the boundary is found by bisection. Real bugs sit there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise, product
from math import prod
from typing import Final

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.problem import TRANSPOSES, Problem
from pytest_applegpu.routing.calls import Matmul
from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.launch import Route
from pytest_applegpu.routing.layouts import operand
from pytest_applegpu.routing.target import Target

LATTICE: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
"""Sizes at which the rules are asked; routes that begin and end between two are not seen."""

BATCHES: Final = (1, 2, 3)

_BASES: Final = (
    (8, 48, 256),
    (16, 16, 512),
    (48, 48, 96),
    (100, 100, 300),
    (200, 640, 1200),
    (640, 640, 640),
    (1, 512, 512),
    (512, 1, 512),
    (1, 2048, 96),
    (32, 2100, 128),
    (2048, 64, 4096),
)
"""Sizes (M, N, K) of which one at a time is walked along the lattice."""

_ALIGNED: Final = re.compile(r"_(?:MN|K)_n?t?aligned|_align_[MNK]_[nt]")

Point = tuple[int, int, int, int]
"""M, N, K and the batch of both operands."""

AXES: Final = ("m", "n", "k", "batch")


@dataclass(frozen=True, slots=True)
class Boundary:
    """Two problems that differ by one in one size, and take different routes.

    `axis` is m, n, k or batch; `paths` are the routes' labels below and above.
    """

    axis: str
    below: Problem
    above: Problem
    paths: tuple[str, str]


def boundaries(op: str, dtype: DType, targets: Iterable[Target]) -> list[Boundary]:
    """Return one boundary of each kind, the cheapest first, for any of `targets`.

    A kind is an axis and the kernels on both sides, whole tiles or not told apart.
    """
    found: dict[tuple[str, Problem, Problem], Boundary] = {}
    for target in targets:
        for one in _of_target(op, dtype.name, target):
            found.setdefault((one.axis, one.below, one.above), one)
    return sorted(found.values(), key=lambda one: one.above.flops)


def paths(dtypes: Iterable[str], target: Target) -> set[str]:
    """Return the labels of the routes that `target` takes at the bases, for formats by name."""
    vectors = ((1, 1, 512), (2, 48, 512))
    walks = [_Walk(dtype, transpose, target) for dtype in dtypes for transpose in TRANSPOSES]
    points = [(*base, 1) for base in (*_BASES, *vectors)]
    return {walk.route(point).path for walk, point in product(walks, points)}


def sampled(found: Iterable[Boundary]) -> list[Boundary]:
    """Return the first boundary of each axis and pair of paths: partitions not told apart."""
    kinds: dict[tuple[str, tuple[str, str]], Boundary] = {}
    for one in found:
        kinds.setdefault((one.axis, one.paths), one)
    return list(kinds.values())


@cache
def _of_target(op: str, dtype: str, target: Target) -> tuple[Boundary, ...]:
    kinds: dict[tuple[int, Kernels, Kernels], tuple[_Walk, int, Point, Point]] = {}
    for transpose in TRANSPOSES:
        walk = _Walk(dtype, transpose, target)
        for axis, below, above in walk.changes():
            kind = (axis, walk.kernels(below), walk.kernels(above))
            if kind not in kinds or prod(above) < prod(kinds[kind][-1]):
                kinds[kind] = walk, axis, below, above
    return tuple(_boundary(op, *one) for one in kinds.values())


Kernels = tuple[tuple[str, int], ...]
"""What tells routes apart: each kernel, and into how many partitions K is cut."""


def signature(route: Route) -> Kernels:
    """Return what tells a route apart: not whether sizes are multiples of its tiles."""
    return tuple(
        (_ALIGNED.sub("", one.kernel), one.params.get("partitions", 1)) for one in route.launches
    )


class _Walk:
    """Routes of one format, transpose and target, remembered by their sizes."""

    def __init__(self, dtype: str, transpose: str, target: Target) -> None:
        self.dtype, self.transpose, self.target = dtype, transpose, target
        self._routes: dict[Point, Route] = {}
        self._kernels: dict[Point, Kernels] = {}

    def route(self, point: Point) -> Route:
        if point not in self._routes:
            m, n, k, count = point
            batch = (count,) if count > 1 else ()
            ta, tb = (letter == "t" for letter in self.transpose)
            a = operand((*batch, m, k), self.dtype, None, transpose=ta)
            b = operand((*batch, k, n), self.dtype, None, transpose=tb)
            self._routes[point] = route_of(Matmul(a, b), self.target)
        return self._routes[point]

    def kernels(self, point: Point) -> Kernels:
        if point not in self._kernels:
            self._kernels[point] = signature(self.route(point))
        return self._kernels[point]

    def changes(self) -> Iterator[tuple[int, Point, Point]]:
        """Yield each axis and pair of neighbours between which the route changes."""
        for base, axis in product(_BASES, range(len(AXES))):
            steps = BATCHES if AXES[axis] == "batch" else LATTICE
            for low, high in pairwise(steps):
                yield from ((axis, *pair) for pair in self._between((*base, 1), axis, low, high))

    def _between(
        self, base: Point, axis: int, low: int, high: int
    ) -> Iterator[tuple[Point, Point]]:
        def at(size: int) -> Point:
            return (*base[:axis], size, *base[axis + 1 :])  # type: ignore[return-value]

        yield from _bisected(lambda size: self.kernels(at(size)), at, low, high)


def _bisected(
    ask: Callable[[int], Kernels], at: Callable[[int], Point], low: int, high: int
) -> Iterator[tuple[Point, Point]]:
    """Yield the neighbours between `low` and `high` where the answer changes."""
    if ask(low) == ask(high):
        return
    if high - low == 1:
        yield at(low), at(high)
        return
    middle = (low + high) // 2
    yield from _bisected(ask, at, low, middle)
    yield from _bisected(ask, at, middle, high)


def _boundary(op: str, walk: _Walk, axis: int, below: Point, above: Point) -> Boundary:
    paths = walk.route(below).path, walk.route(above).path
    lower, upper = (_problem(op, walk, point) for point in (below, above))
    return Boundary(AXES[axis], lower, upper, paths)


def _problem(op: str, walk: _Walk, point: Point) -> Problem:
    m, n, k, count = point
    batch = (count,) if count > 1 else ()
    plain = Problem(op, DTYPES[walk.dtype], m, n, k, walk.transpose)
    return replace(plain, batch_a=batch, batch_b=batch) if batch else plain
