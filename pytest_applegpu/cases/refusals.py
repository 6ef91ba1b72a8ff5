"""Which calls are made that MLX must refuse? Every flaw of an operation, once."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_applegpu.cases.case import UNFILLED, Case
from pytest_applegpu.dtypes import DType
from pytest_applegpu.forms.flaws.table import flaws_of
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.setting import Setting


def refusal_cases(op: str, dtypes: Iterable[DType], settings: Iterable[Setting]) -> list[Case]:
    """Return a case for each problem that a flaw is asked with, under the first setting.

    Arguments are checked before any kernel is chosen: switches do not bear on it.
    """
    first, kept = next(iter(settings), None), frozenset(dtypes)
    if first is None:
        return []
    asked = (
        (parse_problem(text), name) for name, flaw in flaws_of(op).items() for text in flaw.asked
    )
    return [
        Case(problem, UNFILLED, "refusal", first, name)
        for problem, name in asked
        if problem.dtype in kept
    ]
