"""Which cases a rule means, field by field, and what no rule can say."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import ValidationError, convert

from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.forms.table import FORMS
from pytest_applegpu.issues.match import OPERANDS, Match
from pytest_applegpu.issues.subject import Subject
from pytest_applegpu.setting import Setting


def subject(text: str) -> Subject:
    (case,) = parse_cases(text, [Setting("on")])
    return Subject(case.problem, case.fill, case.check, case.setting, case.flaw)


def means(text: str, **rule: Any) -> bool:
    return convert({"op": "matmul"} | rule, Match).holds(subject(text))


CASE = "matmul-f16-nt-64x65x66-b2x1:1x3 a=off:1 b=pad:8 via=operator fill=normal tf32=off"


@pytest.mark.parametrize(
    ("field", "same", "other"),
    [
        ("op", "matmul", "addmm"),
        ("dtype", "float16", "float32"),
        ("transpose", "nt", "tn"),
        ("fill", "normal", "integer"),
        ("check", "bounded", "exact"),
        ("tf32", "off", "on"),
        ("nax", "on", "off"),
    ],
)
def test_a_word_is_the_cases_own_or_one_of_several(field: str, same: str, other: str) -> None:
    assert means(CASE, **{field: same})
    assert means(CASE, **{field: [other, same]})
    assert not means(CASE, **{field: other})
    assert not means(CASE, **{field: [other]})


@pytest.mark.parametrize(
    ("layouts", "expected"),
    [
        ({"a": "off"}, True),
        ({"a": "off:1"}, True),
        ({"a": "off:2"}, False),
        ({"a": "pad"}, False),
        ({"any": "pad"}, True),
        ({"any": ["neg", "off"]}, True),
        ({"any": "neg"}, False),
        ({"a": "off", "b": "off"}, False),
        ({"a": ["plain", "off"], "b": "pad:8"}, True),
    ],
)
def test_layouts_go_by_operand(layouts: dict[str, Any], expected: bool) -> None:
    assert means(CASE, layouts=layouts) is expected


def test_layouts_of_further_operands() -> None:
    text = "quantized_matmul-f32-nt-5x32x128 scales=step tf32=off"
    rule = {"op": "quantized_matmul"}
    assert means(text, **rule, layouts={"scales": "step"})
    assert means(text, **rule, layouts={"any": "step"})
    assert means(text, **rule, layouts={"w": "plain"})
    assert not means(text, **rule, layouts={"biases": "step"})


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ({"m": "== 64", "n": "> 64", "k": "% 8 != 0"}, True),
        ({"m": "== 64", "n": "> 65"}, False),
        ({"batch": "== 6", "batch_a": "== 2", "batch_b": "== 3"}, True),
        ({"axes_a": "== 2", "axes_b": "!= 2"}, False),
        ({"m*n*k": "== 274560"}, True),
        ({"m * n": "% 2 == 1"}, False),
    ],
)
def test_sizes_and_their_products_are_compared(sizes: dict[str, str], expected: bool) -> None:
    assert means(CASE, sizes=sizes) is expected


def test_an_unsaid_parameter_has_its_default() -> None:
    text = "segmented_mm-f32-nn-4x4x8 tf32=off"
    rule = {"op": "segmented_mm"}
    assert means(text, **rule, params={"parts": "4", "cut": ["even", "ragged"]})
    assert means(text, **rule, params={"parts": ">= 4 and < 5"})
    assert not means(text, **rule, params={"parts": ["2", "> 4"]})
    assert not means(text, **rule, params={"cut": "even"})


def test_a_rule_means_no_operation_but_its_own() -> None:
    assert not means("addmm-f16-nt-4x4x4 tf32=off", params={"via": "function"})


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"op": "mamtul"}, "op 'mamtul' is not one of matmul, addmm, "),
        ({"op": []}, "op is an empty list"),
        ({"dtype": "f16"}, "dtype 'f16' is not one of float32, "),
        ({"transpose": ["nn", "nx"]}, "transpose 'nx' is not one of nn, nt, tn, tt"),
        ({"fill": "zero"}, "fill 'zero' is not one of integer, "),
        ({"check": "right"}, "check 'right' is not one of exact, "),
        ({"tf32": "both"}, "tf32 'both' is not one of on, off"),
        ({"nax": "maybe"}, "nax 'maybe' is not one of on, off"),
        ({"layouts": {"x": "off"}}, "layouts 'x' is not one of any, a, b, c, "),
        ({"layouts": {"a": "of"}}, "layout 'of' is not one of plain, "),
        ({"layouts": {"a": "off:0"}}, "layout 'off:0' needs a whole number above 0"),
        ({"layouts": {"a": []}}, "layouts.a is an empty list"),
        ({"params": {"mode": "affine"}}, "params 'mode' is not one of matmul's: via"),
        ({"params": {"via": "magic"}}, "params.via 'magic' is not one of function, operator"),
        ({"params": {"via": "> x"}}, "params.via: '> x' is not comparisons"),
        ({"sizes": {"o": "== 1"}}, "sizes 'o' is not one of m, n, k, batch"),
        ({"sizes": {"m*": "== 1"}}, "sizes '' is not one of m, n, k, batch"),
        ({"sizes": {"m": "1"}}, "sizes.m: '1' is not comparisons"),
        ({"sizes": {"m": 1}}, "Expected `str`, got `int`"),
        ({"size": {}}, "unknown field `size`"),
        ({"tf32": True}, "Expected `str | array | null`, got `bool`"),
    ],
)
def test_what_no_case_can_have_is_refused(rule: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        convert({"op": "matmul"} | rule, Match)
    assert message in str(caught.value)


OF_EACH_OPERATION = [
    "matmul-f32-nn-4x4x4",
    "addmm-f32-nn-4x4x4",
    "gather_mm-f32-nn-4x4x4-b2 by=both",
    "block_masked_mm-f32-nn-64x64x64",
    "segmented_mm-f32-nn-4x4x8",
    "quantized_matmul-f32-nt-4x32x64",
    "gather_qmm-f32-nt-4x32x64-b2 by=both",
    "quantize-f32-nt-1x4x64",
    "dequantize-f32-nt-1x4x64",
    "qqmm-f32-nt-1x32x64",
    "sdpa-f32-nt-8x8x64-b1x2 mask=add sinks=yes",
    "conv1d-f32-nt-8x4x12-b1",
    "conv2d-f32-nt-8x4x36-b1",
    "linear-f32-nt-4x4x8",
    "quantized_linear-f32-nt-4x32x64",
    "multi_head_attention-f32-nt-8x8x64-b2 mask=add bias=yes",
]


def test_every_operand_of_every_operation_has_a_name_here() -> None:
    problems = [subject(f"{text} tf32=off").problem for text in OF_EACH_OPERATION]
    assert {problem.op for problem in problems} == set(FORMS)
    assert {one.name for problem in problems for one in problem.operands} == set(OPERANDS)


def test_a_call_that_is_to_be_refused_is_meant_by_its_flaw_alone() -> None:
    refused = "matmul-f32-nn-4x5x6 flaw=inner check=refusal"
    assert means(refused, flaw="inner")
    assert means(refused, flaw=["batches", "inner"])
    assert not means(refused, flaw="batches")
    assert not means(refused)
    assert not means(refused, check="refusal")
    assert not means(CASE, flaw="inner")


def test_a_flaw_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValidationError, match="flaw 'cracks' is not one of inner, "):
        convert({"op": "matmul", "flaw": "cracks"}, Match)
