"""How is a sweep measured? All sizes in several passes, each in a random order of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.endings import ENDINGS, ending
from pytest_applegpu.conduct.speed import COPIES, MOST, held, piece
from pytest_applegpu.conduct.swept import at, cut
from pytest_applegpu.operations.drawn import Operands
from pytest_applegpu.throughput.cliffs import Point, intervals
from pytest_applegpu.throughput.plan import next_count, rounds
from pytest_applegpu.worker.requests import Refusal
from pytest_applegpu.worker.turns import alone

TARGET: Final = {"cpu": 0.002, "metal": 0.02, "cuda": 0.01}
"""Seconds that a submission of n operations should take at the least; 2n stay below 0.5 s."""

PAIRS: Final = 2
"""Pairs of n and 2n a visit: A B B A, so that a drift within it cancels."""

AGAIN: Final = 3
"""How often a visit is made whose noise hides the operation."""


class SweepError(Exception):
    """A size gave no time; the message names the case, and what happened."""


@dataclass(frozen=True, slots=True)
class Swept:
    """One product over all sizes: its case at the last size, and what was measured."""

    case: Case
    points: tuple[Point, ...]


@dataclass(slots=True)
class _Visited:
    """One product at one size, with the count of operations once that is known."""

    case: Case
    operands: Operands
    count: int = 0
    piece: int = 1


def sweep(
    bench: Bench,
    cases: Sequence[Case],
    axis: str,
    sizes: Sequence[int],
    *,
    passes: int,
    tell: Callable[[int], None] = lambda _: None,
) -> list[Swept]:
    """Measure each of `cases` at each size; a first pass warms up and is not counted.

    `tell` hears of each pass that is over. Every size of every case is in every pass, so that a
    drift of the machine lies on all of them alike.

    Raises:
        SweepError: a size is not supported, or gave no time.
        ValueError: an operation does not take a size, or the passes are too few.
    """
    visited = [one for case in cases for one in _visits(bench, case, axis, sizes)]
    taken = [[0.0] * len(visited) for _ in range(passes + 1)]
    random = bench.random(cases[0], "sweep")
    with alone(bench.backend):
        for number, times in enumerate(taken):
            for index in map(int, random.permutation(len(visited))):
                times[index] = _visit(bench, visited[index])
            tell(number)
    return [
        _swept(bench, visited[first : first + len(sizes)], sizes, taken[1:], first)
        for first in range(0, len(visited), len(sizes))
    ]


def _visits(bench: Bench, case: Case, axis: str, sizes: Sequence[int]) -> list[_Visited]:
    """Draw operands once, for the largest size, of which the others are parts."""
    every = [at(case, axis, size) for size in sizes]
    for one in every:
        gap = bench.gap(one.problem) or bench.no_room(one)
        if gap is not None:
            raise SweepError(f"{one.problem}: unsupported: {gap}")
    whole = bench.operands(every[-1], bench.arithmetic(every[-1].problem, case.setting))
    return [_Visited(one, cut(whole, one)) for one in every]


def _visit(bench: Bench, one: _Visited) -> float:
    """Return the seconds of one operation, as one visit finds them."""
    try:
        _prepare(bench, one)
        if not one.count:
            _count(bench, one)
        for _ in range(AGAIN):
            seconds = _slope(bench, one)
            if seconds > 0:
                return seconds
    except ENDINGS as end:
        said = ": ".join(ending(end, bench.limit(one.case)))
        raise SweepError(f"{one.case.problem}: {said}") from None
    raise SweepError(f"{one.case.problem}: unstable: 2n operations took no longer than n")


def _prepare(bench: Bench, one: _Visited) -> None:
    size = max(sum(operand.nbytes for operand in one.operands), 1)
    copies = max(1, min(COPIES, held(bench) // size))
    limit = bench.limit(one.case, copies)
    case = one.case
    said = bench.pool.prepare(case.problem, case.setting, one.operands, copies=copies, limit=limit)
    if isinstance(said, Refusal):
        raise SweepError(f"{case.problem}: raised: {said.text}")
    _times(bench, one, [1, 1])


def _count(bench: Bench, one: _Visited) -> None:
    """Find how many operations make a submission long enough, and keep the number."""
    count, seconds = 1, min(_times(bench, one, [1, 1]))
    while (more := next_count(count, seconds, TARGET[bench.backend], MOST)) is not None:
        one.piece = piece(one.case, bench, seconds / count)
        count, seconds = more, min(_times(bench, one, [more, more]))
    one.count = count


def _slope(bench: Bench, one: _Visited) -> float:
    counts = rounds(one.count, PAIRS)
    taken = _times(bench, one, counts)
    signed = (t if count > one.count else -t for count, t in zip(counts, taken, strict=True))
    return sum(signed) / (PAIRS * one.count)


def _times(bench: Bench, one: _Visited, counts: list[int]) -> list[float]:
    case, limit = one.case, bench.limit(one.case, sum(counts))
    taken = bench.pool.time(case.setting, counts, piece=one.piece, limit=limit)
    if isinstance(taken, Refusal):
        raise SweepError(f"{case.problem}: raised: {taken.text}")
    return taken


def _swept(
    bench: Bench,
    visited: Sequence[_Visited],
    sizes: Sequence[int],
    passes: Sequence[Sequence[float]],
    first: int,
) -> Swept:
    times = intervals([one[first : first + len(sizes)] for one in passes])
    points = (
        Point(size, *time, _route(bench, one.case), one.case.problem.flops, one.case.problem.bytes)
        for size, time, one in zip(sizes, times, visited, strict=True)
    )
    return Swept(visited[-1].case, tuple(points))


def _route(bench: Bench, case: Case) -> str:
    """Return the route that runs here; empty where that is not known."""
    taken = bench.routes.taken(case.problem, case.setting)
    return taken.path if taken else ""
