"""Which route does a plain problem take, size by size, and between which sizes does it change?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise, product
from typing import Final

from pytest_applegpu.cases.spaces import AXES, Point, Space
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.forms.quantized import group_and_bits
from pytest_applegpu.problem import Pairs, Problem
from pytest_applegpu.routing.calls import Call, Matmul
from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.launch import Route
from pytest_applegpu.routing.layouts import operand
from pytest_applegpu.routing.problem_calls import PACKED
from pytest_applegpu.routing.problems import call_of_problem
from pytest_applegpu.routing.target import Target

_ALIGNED: Final = re.compile(
    r"_(?:MN|K)_n?t?aligned|_align_[MNK]_[nt]|_alN_(?:true|false)|_pr_[01]"
)

Kernels = tuple[tuple[str, int], ...]
"""What tells routes apart: each kernel, and into how many partitions K is cut."""


def signature(route: Route) -> Kernels:
    """Return what tells a route apart: not whether sizes are multiples of its tiles."""
    return tuple(
        (_ALIGNED.sub("", one.kernel), one.params.get("partitions", 1)) for one in route.launches
    )


class Walk:
    """Routes of one operation, format, transpose and set of parameters, remembered by their sizes.

    `steps` says by how much each of M, N, K and the batch grows: packed weights come in groups.
    """

    def __init__(  # noqa: PLR0917 - all that a problem has but sizes
        self, op: str, dtype: str, transpose: str, params: Pairs, space: Space, target: Target
    ) -> None:
        self._space, self._target = space, target
        self._routes: dict[Point, Route] = {}
        self._kernels: dict[Point, Kernels] = {}
        batch_a, batch_b = space.batches(1)
        self._plain = Problem(
            op, DTYPES[dtype], 512, 512, 512, transpose, batch_a, batch_b, params=params
        )
        self.steps = _steps(self._plain)

    def problem(self, point: Point) -> Problem:
        """Return the problem of these sizes."""
        m, n, k, count = point
        a, b = self._space.batches(count)
        return replace(self._plain, m=m, n=n, k=k, batch_a=a, batch_b=b)

    def route(self, point: Point) -> Route:
        """Return the route at these sizes."""
        if point not in self._routes:
            self._routes[point] = route_of(self._call(point), self._target)
        return self._routes[point]

    def _call(self, point: Point) -> Call:
        if self._plain.op != "matmul":
            return call_of_problem(self.problem(point))
        # Most points are of matmul, and a problem of its own for each takes as long as its route.
        m, n, k, count = point
        dtype = self._plain.dtype.name
        ta, tb = (letter == "t" for letter in self._plain.transpose)
        a, b = self._space.batches(count)
        return Matmul(
            operand((*a, m, k), dtype, None, transpose=ta),
            operand((*b, k, n), dtype, None, transpose=tb),
        )

    def kernels(self, point: Point) -> Kernels:
        """Return what tells the route at these sizes apart."""
        if point not in self._kernels:
            self._kernels[point] = signature(self.route(point))
        return self._kernels[point]

    def points(self) -> tuple[Point, ...]:
        """Return all points of the space that packed weights can have."""
        return tuple(filter(self._is_whole, (*self._space.bases, *self._space.apart)))

    def changes(self) -> Iterator[tuple[int, Point, Point]]:
        """Yield each axis and pair of neighbours between which the route changes."""
        for base, axis in product(filter(self._is_whole, self._space.bases), range(len(AXES))):
            lattice = self._space.counts if AXES[axis] == "batch" else self._space.lattice
            for low, high in pairwise(size for size in lattice if size % self.steps[axis] == 0):
                yield from ((axis, *pair) for pair in self._between(base, axis, low, high))

    def _is_whole(self, point: Point) -> bool:
        return not any(size % step for size, step in zip(point, self.steps, strict=True))

    def _between(
        self, base: Point, axis: int, low: int, high: int
    ) -> Iterator[tuple[Point, Point]]:
        step = self.steps[axis]

        def at(steps: int) -> Point:
            return (*base[:axis], steps * step, *base[axis + 1 :])  # type: ignore[return-value]

        yield from _bisected(lambda steps: self.kernels(at(steps)), at, low // step, high // step)


def _steps(plain: Problem) -> Point:
    """Return the least steps of M, N, K and the batch."""
    group = group_and_bits(plain)[0] if plain.op in PACKED else 1
    return (1, 1, group, 1) if plain.transpose[1] == "t" else (1, group, 1, 1)


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
