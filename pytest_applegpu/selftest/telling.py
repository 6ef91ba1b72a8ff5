"""Which planned cases tell of a fault, so that it need not wait for the whole tier?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pytest_applegpu.cases.budget import cost
from pytest_applegpu.cases.case import Case
from pytest_applegpu.selftest.faults import Fault, Sizes
from pytest_applegpu.views import parse_layout

MOST: Final = 24
"""Telling cases that are run before the tier: as long as a worker takes to start."""

_CHEAP: Final = 0.1
"""Seconds of computed cost up to which any telling case is as good as the next."""


def sizes_of(case: Case) -> Sizes:
    """Return what a fault sees of a case before it is run."""
    problem = case.problem
    return Sizes(
        problem.dtype.name,
        problem.m,
        problem.n,
        problem.k,
        problem.batch_a,
        problem.batch_b,
        problem.transpose,
        problem.param("via"),
        case.setting.tf32 == "on",
    )


def tells(fault: Fault, case: Case) -> bool:
    """Say whether `fault` applies to a case of the kind that it shows in: one of `matmul`."""
    if case.problem.op != "matmul":
        return False
    if fault.fills and case.fill not in fault.fills:
        return False
    if fault.checks and case.check not in fault.checks:
        return False
    problem = case.problem
    layouts = {parse_layout(one)[0] for one in (problem.layout_a, problem.layout_b)}
    if fault.layouts and layouts.isdisjoint(fault.layouts):
        return False
    return fault.applies(sizes_of(case))


def telling(fault: Fault, cases: Iterable[Case], backend: str) -> list[Case]:
    """Return a few of the planned cases that tell of `fault`: cheap ones and matrices first.

    A wrong matrix shows a pattern where a wrong vector or number shows that it is wrong. Half of
    them follow one another as planned, for faults that need neighbours; the rest is spread over
    all that tell, so that every format and shape has its chance.
    """
    found = [case for case in cases if tells(fault, case)]
    found.sort(key=lambda case: _rank(case, backend))
    first, others = found[: MOST // 2], found[MOST // 2 :]
    return first + _spread(others, MOST - len(first))


def _rank(case: Case, backend: str) -> tuple[float, bool]:
    problem = case.problem
    return max(_CHEAP, cost(problem, backend)), min(problem.m, problem.n) == 1


def _spread(cases: Sequence[Case], count: int) -> list[Case]:
    if len(cases) <= count:
        return list(cases)
    return [cases[len(cases) * place // count] for place in range(count)]
