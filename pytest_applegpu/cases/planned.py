"""What is planned before there is a setting: a problem, its fill and its check."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.dtypes import DType
from pytest_applegpu.forms.table import FORMS
from pytest_applegpu.problem import Batch, Problem
from pytest_applegpu.setting import Setting

Planned = tuple[Problem, str, str]
"""A problem, its fill and its check."""


def planned(op: str, dtype: DType, line: str) -> Planned:
    """Read a case's text without its operation and format, as `nt-33x34x35 alpha=2 fill=normal`.

    Raises:
        ValueError: it is no case of `op`.
    """
    (case,) = parse_cases(f"{op}-{dtype.short}-{line}", [Setting()])
    return case.problem, case.fill, case.check


def problem_of(  # noqa: PLR0917 - what every problem is made of
    op: str,
    dtype: DType,
    sizes: tuple[int, int, int],
    transpose: str,
    batches: tuple[Batch, Batch],
    said: Mapping[str, str],
) -> Problem:
    """Return a problem from its parts; `said` holds layouts and parameters, defaults too.

    Raises:
        ValueError: the parts do not fit together.
    """
    params = FORMS[op].params
    rest = sorted((name, value) for name, value in said.items() if name not in {"a", "b"})
    return Problem(
        op,
        dtype,
        *sizes,
        transpose,
        *batches,
        said.get("a", "plain"),
        said.get("b", "plain"),
        tuple(one for one in rest if one[0] in params and one[1] != params[one[0]].default),
        tuple(one for one in rest if one[0] not in params and one[1] != "plain"),
    )
