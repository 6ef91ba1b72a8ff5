"""What is planned before there is a setting: a problem, its fill and its check."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.dtypes import DType
from pytest_applegpu.forms.table import FORMS
from pytest_applegpu.problem import Problem
from pytest_applegpu.setting import Setting

Planned = tuple[Problem, str, str]
"""A problem, its fill and its check."""


def formats_of(op: str, dtypes: Iterable[DType]) -> tuple[DType, ...]:
    """Return those of `dtypes` that the operation takes."""
    return tuple(dtype for dtype in dtypes if dtype.name in FORMS[op].dtypes)


def planned(op: str, dtype: DType, line: str) -> Planned:
    """Read a case's text without its operation and format, as `nt-33x34x35 alpha=2 fill=normal`.

    Raises:
        ValueError: it is no case of `op`.
    """
    (case,) = parse_cases(f"{op}-{dtype.short}-{line}", [Setting()])
    return case.problem, case.fill, case.check
