"""What is asked: lines, texts, words; each gives the same call, and each wrong part is named."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.survey.asked import Whom, asked_line, asked_words, words_of
from pytest_applegpu.survey.fields import OPERATIONS

M5_MAX = Whom("applegpu_g17s", "0.32.4")
MATMUL = {"op": "matmul", "dtype": "float16", "a_shape": [64, 4096], "b_shape": [4096, 64]}
QUANTIZED = "quantized_matmul x_shape=1x4096 w_shape=4096x4096 dtype=float16"


def test_whom_a_line_is_for_comes_from_the_options_where_it_does_not_say() -> None:
    target = asked_line(MATMUL, Whom("applegpu_g16s", "0.31.2", tf32=False)).target
    assert (target.arch, target.version, target.tf32, target.nax) == (
        "applegpu_g16s",
        "0.31.2",
        False,
        False,
    )


def test_what_a_line_says_wins() -> None:
    said = {"arch": "applegpu_g17g", "mlx": "0.30.6", "tf32": False, "nax": False}
    target = asked_line(MATMUL | said, M5_MAX).target
    assert (target.arch, target.version, target.tf32, target.nax) == (
        "applegpu_g17g",
        "0.30.6",
        False,
        False,
    )


@pytest.mark.parametrize(
    ("arch", "mlx", "nax"),
    [
        ("applegpu_g17s", "0.32.4", True),
        ("applegpu_g16s", "0.32.4", False),
        ("applegpu_g17p", "0.32.4", False),
        ("applegpu_g17p", "0.30.0", True),
        ("applegpu_g17s", "0.29.3", False),
    ],
)
def test_nax_is_there_by_architecture_and_version(arch: str, mlx: str, *, nax: bool) -> None:
    assert asked_line(MATMUL | {"nax": None}, Whom(arch, mlx)).target.nax is nax
    assert not asked_line(MATMUL, Whom(arch, mlx, nax=False)).target.nax


def test_a_text_and_a_line_of_the_same_problem_take_the_same_route() -> None:
    text = asked_words(["matmul-f16-nn-64x64x4096"], M5_MAX)
    assert text.route == asked_line(MATMUL, M5_MAX).route
    assert asked_line(text.line, M5_MAX).route == text.route


@pytest.mark.parametrize(
    "text",
    [
        "matmul-f16-nt-64x64x4096-b2x3",
        "matmul-bf16-tn-5x600x32 a=pad:8 b=step",
        "matmul-f32-tt-7x9x100-b4:_ a=bc",
        "matmul-f32-nt-1x9x100 a=vec",
        "matmul-f32-nt-9x1x100 b=vec",
        "addmm-f16-nt-64x64x4096 addend=row",
        "gather_mm-f16-nt-1x64x128-b32:8 order=sorted",
        "quantized_matmul-f16-nt-16x64x512 scales=step",
    ],
)
def test_the_line_of_a_text_takes_the_same_route(text: str) -> None:
    asked = asked_words([text], M5_MAX)
    assert asked_line(asked.line, M5_MAX).route == asked.route
    assert asked.text == text


def test_words_of_a_case_decide_its_setting() -> None:
    words = "matmul-f32-nt-64x64x4096 fill=ones tf32=off arch=applegpu_g17g"
    target = asked_words([words], M5_MAX).target
    assert (target.arch, target.tf32, target.nax) == ("applegpu_g17g", False, True)
    forced = asked_words(["matmul-f32-nt-64x64x4096 nax=off"], M5_MAX).target
    assert (forced.arch, forced.nax) == ("applegpu_g16s", False)


def test_what_mlx_refuses_is_a_route() -> None:
    assert asked_words(["matmul-f64-nn-2x2x2"], M5_MAX).route.path == "error"
    integers = asked_words(["matmul", "dtype=int32", "a_shape=2x2", "b_shape=2x2"], M5_MAX)
    assert integers.route.error


def test_defaults_of_quantized_words_are_those_of_mlx() -> None:
    line = asked_words([QUANTIZED], M5_MAX).line
    assert (line["mode"], line["group_size"], line["bits"]) == ("affine", 64, 4)
    assert line["transpose"] is True
    line = asked_words([f"{QUANTIZED} mode=mxfp8"], M5_MAX).line
    assert (line["group_size"], line["bits"]) == (32, 8)


def test_words_of_a_line_read_back_to_it() -> None:
    asked = asked_words([f"{QUANTIZED} transpose=false bits=8"], M5_MAX)
    assert asked_words([words_of(asked.line)], M5_MAX).line == asked.line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("sing", "neither a problem such as .* nor one of the operations matmul"),
        ("", "neither a problem"),
        ("matmul-f16-nt-64x64", "is not a problem: write OP-DTYPE"),
        ("conv-f16-nt-64x64x64", "operation 'conv' is not one of matmul"),
        ("matmul dtype=f16 a_shape=2x2", "b_shape: matmul needs it, a list of sizes"),
        ("matmul dtype=f16 a_shape=2xb b_shape=2x2", "a_shape=2xb is not a list of sizes"),
        ("matmul dtype=f16 a_shape=-2x3 b_shape=2x2", r"a_shape: \[-2, 3\] is not a list"),
        ("matmul dtype=f16 rows=2", "rows= is not one of matmul's words: mlx, arch, nax, tf32, d"),
        ("matmul dtype=f16 dtype=f32", "dtype= stands twice"),
        ("matmul f16", "'f16' is not a NAME=VALUE pair"),
        ("matmul dtype=f8 a_shape=2x2 b_shape=2x2", "dtype: 'f8' is not one of bool_"),
        ("matmul dtype=f16 a_shape=2x2 b_shape=2x2 a_layout=q", "a_layout: 'q' is not one of pad"),
        (f"{QUANTIZED} mode=int4", "mode: 'int4' is not one of affine, mxfp4, mxfp8, nvfp4"),
        (f"{QUANTIZED} transpose=maybe", "transpose=maybe is not true or false"),
        (f"{QUANTIZED} bits=0", "bits: 0 is not a whole number from 1 to 2147483647"),
        ("matmul dtype=f16 a_shape=2x2 b_shape=2x2 arch=M7", "arch='M7' is not an architecture"),
        ("matmul dtype=f16 a_shape=2x2 b_shape=2x2 mlx=0.1", "MLX 0.1 is older than 0.29"),
    ],
)
def test_a_wrong_word_is_named(words: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        asked_words([words], M5_MAX)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"op": "mm"}, "op: 'mm' is not one of matmul"),
        ({"op": ["matmul"]}, "op: .* is not one of matmul"),
        ({"a_shape": "64x4096"}, "a_shape: '64x4096' is not a list of sizes"),
        ({"a_shape": [True, 2]}, r"a_shape: \[True, 2\] is not"),
        ({"transpose_b": "yes"}, "transpose_b: 'yes' is not true or false"),
        ({"nax": 1}, "nax: 1 is not of type bool"),
        ({"tf32": "on"}, "tf32: 'on' is not of type bool"),
        ({"arch": ["applegpu_g17s"]}, "arch: .* is not of type str"),
        ({"mlx": 32}, "mlx: 32 is not of type str"),
        ({"problem": "matmul"}, "problem: 'matmul' is not a problem"),
        ({"problem": 7}, "problem: '7' is not a problem"),
        ({"a_layout": "headt"}, "matmul: shapes and layouts do not fit: a_shape=64x4096"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        _ = asked_line(MATMUL | change, M5_MAX).route


_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 70),
    st.sampled_from(["", "affine", "nvfp4", "causal", "float16", "int32", "pad:3", "bc", "t"]),
    st.lists(st.integers(0, 40), max_size=4),
)


@given(st.sampled_from(sorted(OPERATIONS)), st.data())
def test_any_line_has_a_route_or_a_message(op: str, data: st.DataObject) -> None:
    names = ["dtype", *OPERATIONS[op]]
    line = {name: data.draw(_VALUES, name) for name in data.draw(st.sets(st.sampled_from(names)))}
    shapes = {name: [8, 32] for name in names if name.endswith("_shape") and "hs" not in name}
    try:
        asked = asked_line({"op": op, "dtype": "float16", **shapes, **line}, M5_MAX)
        assert asked.route.path
    except ValueError as error:
        assert str(error)  # noqa: PT017 - whatever it is, it is said in words
