"""A problem's text and its value are two forms of one thing."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.problem import TRANSPOSES, Problem, parse_problem

sizes = st.integers(0, 5000)
batches = st.lists(st.integers(0, 5), max_size=3).map(tuple)
layouts = st.one_of(
    st.sampled_from(["plain", "step", "neg", "axis", "bc", "heads", "vec"]),
    st.builds("{}:{}".format, st.sampled_from(["pad", "rows", "off"]), st.integers(1, 99)),
)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Any problem whose parts fit together."""
    try:
        return Problem(
            op="matmul",
            dtype=draw(st.sampled_from(list(DTYPES.values()))),
            m=draw(sizes),
            n=draw(sizes),
            k=draw(sizes),
            transpose=draw(st.sampled_from(TRANSPOSES)),
            batch_a=draw(batches),
            batch_b=draw(batches),
            layout_a=draw(layouts),
            layout_b=draw(layouts),
            params=draw(st.sampled_from([(), (("via", "operator"),)])),
        )
    except ValueError:
        assume(False)
        raise


@given(problems())
def test_text_parses_back_to_the_equal_problem(problem: Problem) -> None:
    assert parse_problem(str(problem)) == problem
    assert str(parse_problem(str(problem))) == str(problem)


@given(st.text())
def test_any_text_is_a_problem_or_a_value_error(text: str) -> None:
    try:
        problem = parse_problem(text)
    except ValueError as error:
        said = str(error)
        assert said
    else:
        assert parse_problem(str(problem)) == problem


def test_the_example_of_the_docs() -> None:
    problem = parse_problem("matmul-f16-nt-64x64x4096-b2x3")
    assert problem.dtype.name == "float16"
    assert problem.shape_a == (2, 3, 64, 4096)
    assert problem.shape_b == (2, 3, 4096, 64)
    assert problem.shape_c == (2, 3, 64, 64)
    assert problem.operands[1].placement.storage == (2, 3, 64, 4096)
    assert problem.flops == 2 * 6 * 64 * 64 * 4096


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not a problem"),
        ("matmul", "is not a problem"),
        ("matmul-f32-nn-1x2", "is not a problem"),
        ("matmul-f32-nn--1x2x3", "is not a problem"),
        ("matmul-f32-nx-1x2x3", "is not a problem"),
        ("matmul-f8-nn-1x2x3", "float32, float16, bfloat16, complex64, float64"),
        ("conv-f32-nn-1x2x3", "operation 'conv' is not one of matmul"),
        ("matmul-f32-nn-1x2x3 a=sideways", "is not one of plain, pad"),
        ("matmul-f32-nn-1x2x3 a=pad", "pad:8"),
        ("matmul-f32-nn-1x2x3 a=pad:0", "above 0"),
        ("matmul-f32-nn-1x2x3 a=neg:1", "takes no number"),
        ("matmul-f32-nn-1x2x3 a=bc", "needs a batch"),
        ("matmul-f32-nn-1x2x3-b2:_ b=heads", "needs a batch"),
        ("matmul-f32-nn-2x2x1 a=vec", "needs M = 1"),
        ("matmul-f32-nn-1x2x3-b2 a=vec", "no batch"),
        ("matmul-f32-nn-1x2x3-b2:3", "do not broadcast"),
        ("matmul-f32-nn-1x2x3-bx", "sizes joined by x"),
        ("matmul-f32-nn-1x2x3 via=elsewhere", "function, operator"),
        ("matmul-f32-nn-1x2x3 alpha=2", "alpha= is not one of matmul's words: a, b, via"),
        ("matmul-f32-nn-1x2x3 a=neg a=neg", "a= stands twice"),
        ("matmul-f32-nn-1x2x3 neg", "NAME=VALUE"),
    ],
)
def test_what_is_wrong_is_named(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_problem(text)


def test_a_default_may_be_said_and_is_left_out_again() -> None:
    assert str(parse_problem("matmul-f32-nn-1x2x3 via=function a=plain")) == "matmul-f32-nn-1x2x3"


def test_vectors_lose_their_axis() -> None:
    assert parse_problem("matmul-f32-nn-1x5x3 a=vec").shape_c == (5,)
    assert parse_problem("matmul-f32-nn-5x1x3 b=vec").shape_c == (5,)
    assert parse_problem("matmul-f32-nn-1x1x3 a=vec b=vec").shape_c == ()


def test_complex_products_cost_four_times_as_much() -> None:
    real, complex_ = (parse_problem(f"matmul-{d}-nn-3x4x5") for d in ("f32", "c64"))
    assert complex_.flops == 4 * real.flops == 4 * 120


@pytest.mark.parametrize("shape", ["2147483648x1x1", "1x1x1-b99999999999999999999"])
def test_a_size_that_no_shape_holds_is_refused(shape: str) -> None:
    with pytest.raises(ValueError, match="a size is above 2147483647"):
        parse_problem(f"matmul-f32-nn-{shape}")


def test_absurd_batches_are_said_as_what_they_are() -> None:
    huge = parse_problem(f"matmul-f32-nn-1x1x1-b{'x'.join(['2147483647'] * 3)}")
    assert huge.batch == (2147483647,) * 3
    with pytest.raises(ValueError, match="more than 16 axes"):
        parse_problem(f"matmul-f32-nn-1x1x1-b{'x'.join(['1'] * 40)}")
