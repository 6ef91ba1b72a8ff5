"""Which cases does a set of shapes come to? Each problem's numbers, and its time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pytest_applegpu.cases.budget import cost
from pytest_applegpu.cases.case import Case
from pytest_applegpu.cases.planned import Planned
from pytest_applegpu.cases.turns import in_turns
from pytest_applegpu.problem import Problem
from pytest_applegpu.setting import Setting

AFFORDABLE: Final = 10.0
"""Seconds of computed cost up to which a result is held to a reference, exactly and to a bound."""

_WHOLE: Final = frozenset({"sdpa", "quantize", "dequantize", "qqmm", "multi_head_attention"})
"""Operations that are no sum of products of what is handed over, which a projection needs."""


def shaped_cases(
    problems: Iterable[Problem], backend: str, settings: Iterable[Setting]
) -> list[Case]:
    """Return the cases of `problems`, numbers first.

    Large products are projected; an emulated device's times mean nothing.
    """
    problems, turns = tuple(dict.fromkeys(problems)), tuple(in_turns(tuple(settings)))
    numeric = [one for problem in problems for one in _numeric(problem, backend)]
    timed = [] if backend == "emulated" else [(one, "normal", "throughput") for one in problems]
    return [
        Case(*planned, setting)
        for cases in (numeric, timed)
        for turn in turns
        for planned in cases
        for setting in turn
    ]


def _numeric(problem: Problem, backend: str) -> Iterator[Planned]:
    if problem.op not in _WHOLE and cost(problem, backend) > AFFORDABLE:
        yield problem, "integer", "projection"
    else:
        yield problem, "integer", "exact"
        yield problem, "normal", "bounded"
