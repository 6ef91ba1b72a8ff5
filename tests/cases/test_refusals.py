"""Which calls a run spoils."""

from __future__ import annotations

import pytest

from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.cases.plan import backend_dtypes
from pytest_applegpu.cases.refusals import refusal_cases
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.forms.flaws.table import FLAWS, flaws_of
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.setting import Setting

BOTH = (Setting("on"), Setting("off"))
OPS = tuple(dict.fromkeys(op for op, _ in FLAWS))


@pytest.mark.parametrize("op", OPS)
def test_every_flaw_is_asked_once_a_problem_under_the_first_setting(op: str) -> None:
    cases = refusal_cases(op, backend_dtypes("cuda"), BOTH)
    texts = [(case.flaw, str(case.problem)) for case in cases]
    asked = [(name, text) for name, flaw in flaws_of(op).items() for text in flaw.asked]
    due = [(name, str(parse_problem(text))) for name, text in asked]
    assert texts == due
    assert len(set(texts)) == len(texts)
    assert {case.setting for case in cases} == {BOTH[0]}
    assert all(parse_cases(str(case), BOTH) == [case] for case in cases)


def test_formats_that_are_not_run_are_left_out() -> None:
    assert refusal_cases("matmul", [DTYPES["bfloat16"]], BOTH) == []
    assert [one.flaw for one in refusal_cases("sdpa", [DTYPES["float16"]], BOTH)] == ["mask-dtype"]


def test_an_operation_without_flaws_has_no_cases() -> None:
    assert refusal_cases("linear", backend_dtypes("cpu"), BOTH) == []
    assert refusal_cases("matmul", backend_dtypes("cpu"), ()) == []
