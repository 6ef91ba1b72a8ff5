"""A case's text and its value are two forms of one thing."""

from __future__ import annotations

import re

import pytest

from pytest_applegpu.cases.case import CHECKS, DEFAULT_FILL, Case, parse_cases
from pytest_applegpu.cases.plan import numeric_cases
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.setting import Setting

BOTH = (Setting("on"), Setting("off"))


def test_every_planned_case_parses_back_to_itself() -> None:
    planned = numeric_cases(
        "matmul", "cpu", tuple(DTYPES.values()), tier="smoke", seed=0, settings=BOTH
    )
    for case in planned:
        assert parse_cases(str(case), BOTH) == [case]


def test_the_example_of_the_docs() -> None:
    text = "matmul-f16-nt-64x64x4096-b2x3 fill=integer tf32=off arch=applegpu_g16s"
    (case,) = parse_cases(text, BOTH)
    assert case.check == "exact"
    assert case.setting == Setting("off", "applegpu_g16s")
    assert str(case) == text


def test_without_tf32_a_text_means_every_setting_asked_for() -> None:
    assert [str(case) for case in parse_cases("matmul-f32-nn-2x3x4", BOTH)] == [
        "matmul-f32-nn-2x3x4 fill=integer tf32=on",
        "matmul-f32-nn-2x3x4 fill=integer tf32=off",
    ]


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_alone_takes_its_own_fill(check: str) -> None:
    # A view is what one of the checks needs, a flaw another one, and none minds the view.
    flaw = "flaw=inner " if check == "refusal" else ""
    (case,) = parse_cases(f"matmul-f32-nn-2x3x8 b=off:1 {flaw}check={check} tf32=on", BOTH)
    assert (case.check, case.fill) == (check, DEFAULT_FILL[check])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("matmul-f32-nn-2x3x4 fill=gold", "fill=gold is not one of integer"),
        ("matmul-f32-nn-2x3x4 check=twice", "check=twice is not one of exact"),
        ("matmul-f32-nn-2x3x4 fill=normal check=exact", "takes fill=integer"),
        ("matmul-f32-nn-2x3x4 tf32=maybe", "not one of on, off"),
        ("matmul-f32-nn-2x3x4 tf32=on tf32=off", "tf32= stands twice"),
        ("fill=integer", "is not a problem"),
        ("matmul-f32-nn-2x3x8 fill=normal check=card", "check=card takes no fill, not normal"),
        ("matmul-f32-nn-2x3x7 check=card", "check=card takes K of at least 8"),
        ("matmul-f32-nn-2x3x8-b0 check=card", "check=card takes .* no size of 0"),
        ("matmul-f32-nn-1x3x8 a=vec check=card", "check=card asks matmul of matrices"),
        ("matmul-f32-nn-2x3x8 fill= check=exact", "fill= is not one of integer"),
    ],
)
def test_what_is_wrong_is_named(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_cases(text, BOTH)


def test_cases_that_share_their_data_say_so() -> None:
    problem = parse_problem("matmul-f32-nn-2x3x4")
    on, off = (Case(problem, "normal", "bounded", setting) for setting in BOTH)
    assert on.data == off.data == "matmul-f32-nn-2x3x4 fill=normal"


def test_a_card_has_no_fill_and_parses_back() -> None:
    text = "matmul-f32-nn-64x64x64-b4 check=card tf32=on"
    (case,) = parse_cases(text, BOTH)
    assert (case.check, case.fill, str(case)) == ("card", "", text)
    assert case.data == "matmul-f32-nn-64x64x64-b4 check=card"


def test_a_flaw_stands_in_the_text_and_parses_back() -> None:
    text = "matmul-f32-nn-4x5x6 flaw=inner check=refusal tf32=on"
    (case,) = parse_cases(text, BOTH)
    assert (case.check, case.fill, case.flaw, str(case)) == ("refusal", "", "inner", text)
    assert case.data == "matmul-f32-nn-4x5x6 flaw=inner check=refusal"
    assert str(parse_cases("flaw=inner " + text.replace("flaw=inner ", ""), BOTH)[0]) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("matmul-f32-nn-4x5x6 check=refusal", "flaw= and check=refusal stand together"),
        ("matmul-f32-nn-4x5x6 flaw=inner", "flaw= and check=refusal stand together"),
        ("matmul-f32-nn-4x5x6 flaw=cracks check=refusal", "not one of matmul's: inner, batches"),
        ("matmul-f32-nn-4x5x6 flaw=inner fill=normal check=refusal", "takes no fill"),
        ("matmul-f32-nn-4x5x1 flaw=inner check=refusal", "flaw=inner needs M of at least 1"),
        ("matmul-f32-nn-4x5x6-b2:_ flaw=batches check=refusal", "needs batches of as many axes"),
        ("quantized_matmul-f32-nt-4x8x64 flaw=biases check=refusal", "needs mode=mxfp4|mxfp8"),
        ("sdpa-f32-nt-3x5x8-b1x4:1x2 mask=add flaw=mask-dtype check=refusal", "needs float16"),
        ("matmul-f32-nn-4x5x6 check=exact fill=", "fill"),
    ],
)
def test_a_flaw_that_does_not_fit_is_named(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        parse_cases(text, BOTH)
