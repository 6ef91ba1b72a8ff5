"""What does a switch buy by route, by kind of product, and over a model's whole pass?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_applegpu.conduct.compare.product import Compared
from pytest_applegpu.problem import Problem
from pytest_applegpu.shapes.shapes import Shape, ShapeSet
from pytest_applegpu.throughput.paired import Geometric, together
from pytest_applegpu.throughput.whole import Whole, whole


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass of a set of shapes: its timed products in its order, and those without a time.

    `tokens` are taken in by the pass; 0 where that is not known. `whole` is None where no product
    has a time.
    """

    name: str
    phase: str
    tokens: int
    timed: tuple[tuple[Shape, Compared], ...]
    untimed: tuple[Shape, ...]
    whole: Whole | None


def by_route(found: Sequence[Compared]) -> dict[str, Geometric]:
    """Return the geometric mean of the ratios of each pair of routes, where routes are known."""
    return _means([one for one in found if any(one.routes)], route_of)


def by_group(found: Sequence[Compared]) -> dict[str, Geometric]:
    """Return the geometric mean of the ratios of each operation, format and shape."""
    return _means(found, lambda one: group_of(one.case.problem))


def route_of(one: Compared) -> str:
    """Return the route, or both where the sides take different ones."""
    first, second = one.routes
    return first if first == second else f"{first} against {second}"


def group_of(problem: Problem) -> str:
    """Return operation, format, and `gemv` (a single row or column), `batched` or `gemm`."""
    batched = "batched" if problem.batch_a or problem.batch_b else "gemm"
    shape = "gemv" if min(problem.m, problem.n) == 1 else batched
    return f"{problem.op} {problem.dtype.short} {shape}"


def _means(found: Sequence[Compared], key: Callable[[Compared], str]) -> dict[str, Geometric]:
    groups: dict[str, list[tuple[float, float, float]]] = {}
    for one in found:
        if one.paired is not None:
            time = one.paired
            groups.setdefault(key(one), []).append((time.ratio, time.low, time.high))
    return {name: together(group) for name, group in groups.items()}


def passes(sets: Sequence[ShapeSet], found: Mapping[Problem, Compared]) -> list[Pass]:
    """Return each phase of each set: prefill, decode, or all where no phase is said."""
    return [
        _pass(one, phase, [shape for shape in one.shapes if shape.phase == phase], found)
        for one in sets
        for phase in dict.fromkeys(shape.phase for shape in one.shapes)
    ]


def _pass(
    one: ShapeSet, phase: str, shapes: Sequence[Shape], found: Mapping[Problem, Compared]
) -> Pass:
    pairs = [(shape, found[shape.problem]) for shape in shapes]
    timed = [(shape, each, each.paired) for shape, each in pairs if each.paired]
    return Pass(
        one.name,
        phase,
        {"prefill": one.tokens, "decode": 1}.get(phase, 0),
        tuple((shape, each) for shape, each, _ in timed),
        tuple(shape for shape, each in pairs if each.paired is None),
        whole([(shape.count, time) for shape, _, time in timed]) if timed else None,
    )
