"""Cases of a search: their own texts say them, they are cheap, and they reach what can be said."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_applegpu.cases.budget import cost
from pytest_applegpu.cases.case import NUMERIC, Case, parse_cases
from pytest_applegpu.cases.choices.table import CHOICES
from pytest_applegpu.cases.plan import backend_dtypes
from pytest_applegpu.cases.planned import formats_of
from pytest_applegpu.cases.searching.search import DEAREST, Space, searched
from pytest_applegpu.forms.table import FORMS
from pytest_applegpu.setting import Setting
from pytest_applegpu.views import LAYOUTS, parse_layout

SPACE = Space("cpu", backend_dtypes("cpu"), (Setting("on"), Setting("off")))

COUNT = 1600

RARE = {
    # 16 goes with one mode, which has no other group, and goes without saying.
    ("", "group"): {"16"},
    ("qqmm", "group"): {"16", "64", "128"},
    ("qqmm", "bits"): {"1", "2", "3", "5", "6"},
}
"""Words that an operation cannot have, or hardly ever says."""


@cache
def cases() -> tuple[Case, ...]:
    return tuple(searched(SPACE, 0, COUNT))


def of(op: str) -> list[Case]:
    return [case for case in cases() if case.problem.op == op]


@settings(max_examples=15)
@given(st.integers(0, 2**63 - 1))
def test_a_drawn_case_is_what_its_text_says(seed: int) -> None:
    for case in searched(SPACE, seed, len(CHOICES)):
        assert parse_cases(str(case), [Setting()]) == [case]


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.integers(1, 20))
def test_a_longer_search_goes_on_where_a_shorter_one_ended(seed: int, count: int) -> None:
    few, more = searched(SPACE, seed, count), searched(SPACE, seed, count + 7)
    assert few == more[: len(few)]


def test_no_case_is_dear() -> None:
    dear = [case for case in cases() if cost(case.problem, "cpu") > DEAREST]
    assert len(dear) < COUNT / 100


def test_operations_formats_and_settings_take_turns() -> None:
    for op in CHOICES:
        seen = {(case.problem.dtype, case.setting) for case in of(op)}
        assert len(seen) == 2 * len(formats_of(op, SPACE.dtypes))


@pytest.mark.parametrize("op", CHOICES)
def test_every_word_of_every_parameter_is_reached(op: str) -> None:
    for name, param in FORMS[op].params.items():
        seen = {case.problem.param(name) for case in of(op)}
        missing = {*param.values} - seen - RARE.get((op, name), RARE.get(("", name), set()))
        assert not missing, (op, name, missing)
        assert len(seen) > 1


@pytest.mark.parametrize("op", CHOICES)
def test_every_operand_is_a_view(op: str) -> None:
    for name in {one.name for case in of(op) for one in case.problem.operands}:
        if name not in FORMS[op].params:
            assert len({case.problem.layout(name) for case in of(op)}) > 4, (op, name)


def test_all_layouts_checks_and_small_sizes_are_reached() -> None:
    said = {case.problem.layout(one.name) for case in cases() for one in case.problem.operands}
    assert {parse_layout(one)[0] for one in said} == {*LAYOUTS}
    assert {case.check for case in cases()} >= (NUMERIC | {"refusal"}) - {"projection"}
    for size in ("m", "n", "k"):
        seen = [getattr(case.problem, size) for case in cases()]
        assert 0 in seen
        assert 1 in seen
        assert len(set(seen)) > 100


def test_whatever_is_drawn_can_be_run_again_by_the_suites_of_its_operation() -> None:
    folder = Path(__file__).parents[2] / "suites" / "conformance"
    text = "\n".join(file.read_text() for file in folder.glob("*.py"))
    for op, check in sorted({(case.problem.op, case.check) for case in cases()}):
        marks = [line for line in text.splitlines() if f'applegpu(op="{op}"' in line]
        transforms = "TRANSFORMS" if check in {"vmap", "gradient"} else f'"{check}"'
        whole = f'applegpu(op="{op}")'
        held = any(whole in line or f'"{check}"' in line or transforms in line for line in marks)
        assert held or any("TRANSFORMS" in line for line in marks), (op, check)


def test_inner_of_a_number_is_no_flaw() -> None:
    text = "matmul-f32-tt-8x8x9 via={} flaw=scalar check=refusal"
    assert parse_cases(text.format("operator"), [Setting()])
    with pytest.raises(ValueError, match=r"flaw=scalar needs via=function\|operator"):
        parse_cases(text.format("inner"), [Setting()])


def test_no_operand_but_a_and_b_is_a_vector() -> None:
    with pytest.raises(ValueError, match="scales=vec: only a and b may be vectors"):
        parse_cases("qqmm-f32-nt-2x1x64 scales=vec", [Setting()])
