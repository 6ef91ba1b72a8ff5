"""Which planned cases tell of a fault, so that it need not wait for the whole tier?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pytest_applegpu.cases.budget import cost
from pytest_applegpu.cases.case import TWINS, Case
from pytest_applegpu.problem import Problem
from pytest_applegpu.selftest.faults import Fault, Sizes
from pytest_applegpu.views import parse_layout

MOST: Final = 24
"""Telling cases that are run before the tier: as long as a worker takes to start."""

_SPOILT: Final = frozenset({"function", "operator"})
"""Ways to ask for a product that a fault stands in front of: others call it inside the library."""

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
        _via(problem),
        case.setting.tf32 == "on",
        None if problem.op == "matmul" else problem.batch,
    )


def _via(problem: Problem) -> str:
    return problem.param("via") if problem.op == "matmul" else "function"


def tells(fault: Fault, case: Case) -> bool:
    """Say whether `fault` applies to a case of the kind that it shows in."""
    problem = case.problem
    if problem.op != fault.op or _via(problem) not in _SPOILT:
        return False
    if fault.fills and case.fill not in fault.fills:
        return False
    if any(problem.param(name) not in values for name, values in fault.words.items()):
        return False
    if fault.layouts and _layouts(problem).isdisjoint(fault.layouts):
        return False
    if fault.checks and case.check not in fault.checks:
        return False
    sizes = sizes_of(case)
    # Of two products that are compared, the sizes of the first alone are known.
    compared = case.check in fault.checks and case.check in TWINS
    return fault.meets(sizes) if compared else fault.applies(sizes)


def _layouts(problem: Problem) -> set[str]:
    """Return the layouts of all operands: `pad` of A or B, `c=pad` of another."""
    names = [one.name for one in problem.operands]
    others = {f"{name}={parse_layout(problem.layout(name))[0]}" for name in names}
    return others | {parse_layout(one)[0] for one in (problem.layout_a, problem.layout_b)}


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
