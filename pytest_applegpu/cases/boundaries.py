"""Where does MLX change the kernel, and which two problems lie on either side?

The dispatch rules are asked along M, N, K and the batch, at lattice points; between two that take
different routes the boundary is found by bisection. Real bugs sit there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from math import prod
from typing import Final

from pytest_applegpu.cases.spaces import AXES, SPACES, Point
from pytest_applegpu.cases.walk import Kernels, Walk, signature
from pytest_applegpu.dtypes import DType
from pytest_applegpu.forms.table import FORMS
from pytest_applegpu.problem import Problem
from pytest_applegpu.routing.target import Target

__all__ = ["AXES", "Boundary", "boundaries", "paths", "sampled", "signature"]

_CUT: Final = "float32"
"""The only format whose routes depend on TF32."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """Two problems that differ by the least step in one size, and take different routes.

    The step is one, or a group of packed weights along the axis that they come in groups of.
    `axis` is m, n, k or batch; `paths` are the routes' labels below and above.
    """

    axis: str
    below: Problem
    above: Problem
    paths: tuple[str, str]


def boundaries(op: str, dtype: DType, targets: Iterable[Target]) -> list[Boundary]:
    """Return one boundary of each kind, the cheapest first, for any of `targets`.

    A kind is an axis and the kernels on both sides, whole tiles or not told apart. An operation
    whose dispatch is not known, or that does not take the format, has none.
    """
    found: dict[tuple[str, Problem, Problem], Boundary] = {}
    for target in _apart(dtype.name, targets):
        for one in _of_target(op, dtype.name, target):
            found.setdefault((one.axis, one.below, one.above), one)
    return sorted(found.values(), key=lambda one: one.above.flops)


def paths(op: str, dtype: str, target: Target) -> frozenset[str]:
    """Return the labels of the routes that `target` takes at the bases, for a format by name."""
    (one,) = _apart(dtype, [target])
    return _paths(op, dtype, one)


def sampled(found: Iterable[Boundary]) -> list[Boundary]:
    """Return the first boundary of each axis and pair of paths: partitions not told apart."""
    kinds: dict[tuple[str, tuple[str, str]], Boundary] = {}
    for one in found:
        kinds.setdefault((one.axis, one.paths), one)
    return list(kinds.values())


def _apart(dtype: str, targets: Iterable[Target]) -> list[Target]:
    """Return the targets whose routes may differ for a format."""
    if dtype == _CUT:
        return list(targets)
    return list(dict.fromkeys(replace(one, tf32=True) for one in targets))


def _walks(op: str, dtype: str, target: Target) -> Iterator[Walk]:
    space = SPACES.get(op)
    if space is None or dtype not in FORMS[op].dtypes:
        return
    for transpose, params in product(space.transposes, space.params):
        yield Walk(op, dtype, transpose, params, space, target)


@cache
def _paths(op: str, dtype: str, target: Target) -> frozenset[str]:
    return frozenset(
        walk.route(point).path for walk in _walks(op, dtype, target) for point in walk.points()
    )


@cache
def _of_target(op: str, dtype: str, target: Target) -> tuple[Boundary, ...]:
    kinds: dict[tuple[int, Kernels, Kernels], tuple[Walk, int, Point, Point]] = {}
    for walk in _walks(op, dtype, target):
        for axis, below, above in walk.changes():
            kind = (axis, walk.kernels(below), walk.kernels(above))
            if kind not in kinds or prod(above) < prod(kinds[kind][-1]):
                kinds[kind] = walk, axis, below, above
    return tuple(_boundary(*one) for one in kinds.values())


def _boundary(walk: Walk, axis: int, below: Point, above: Point) -> Boundary:
    paths = walk.route(below).path, walk.route(above).path
    return Boundary(AXES[axis], walk.problem(below), walk.problem(above), paths)
