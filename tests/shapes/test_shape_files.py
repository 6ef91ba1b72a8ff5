"""Files of shapes: read back as they were written, and refused with the field that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.problem import parse_problem
from pytest_applegpu.shapes.models import shapes_named
from pytest_applegpu.shapes.read import parse_shapes, read_shapes
from pytest_applegpu.shapes.shapes import PHASES, Left, Shape, ShapesError, ShapeSet, merged
from pytest_applegpu.shapes.write import shapes_text

CASE = "matmul-f16-nt-512x4096x4096"
PROBLEMS = (
    CASE,
    "quantized_matmul-bf16-nt-1x64x128 bits=8 group=32",
    "sdpa-f16-nt-9x9x32-b1x4:1x2 mask=causal q=heads",
    "gather_mm-f32-nt-1x8x4-b6:3 order=sorted",
)

texts = st.text(st.characters(codec="utf-8")).map(str.strip)
counts = st.integers(1, 10**9)
sets = st.builds(
    ShapeSet,
    texts.filter(bool),
    texts,
    st.lists(
        st.builds(
            Shape,
            st.sampled_from(PROBLEMS).map(parse_problem),
            counts,
            st.sampled_from(["", *PHASES]),
            texts,
            st.lists(texts, max_size=2).map(tuple),
            texts,
        ),
        min_size=1,
        max_size=3,
    ).map(tuple),
    st.lists(st.builds(Left, texts, texts, counts), max_size=2).map(tuple),
    texts,
    st.integers(0, 2**31),
)


@given(sets)
def test_what_is_written_reads_back(found: ShapeSet) -> None:
    assert parse_shapes(shapes_text(found), "other") == found


def test_a_case_is_all_that_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f'[[problem]]\ncase = "{CASE}"\n')
    assert read_shapes(path) == ShapeSet("mine", "", (Shape(parse_problem(CASE)),))
    assert shapes_named(str(path)).problems == (parse_problem(CASE),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "it is not TOML: "),
        ('name = "mine"', "it has no problems: write a [[problem]]"),
        ("problem = 3", "problem: it is not a list of tables"),
        ('sauce = "x"\n[[problem]]', "sauce: it is not one of name, source, how, tokens, problem"),
        ("name = 3\n[[problem]]\ncase = '{case}'", "name: 3 is not text"),
        ("tokens = 0\n[[problem]]\ncase = '{case}'", "tokens: 0 is not a whole number from 1 on"),
        ("[[problem]]\ncount = 3", "problem 1: case: there is none"),
        ("[[problem]]\ncase = '{case}'\n[[problem]]\ncase = 'mm-f16'", "problem 2: case: 'mm-f16'"),
        ("[[problem]]\ncase = '{case} fill=normal'", "problem 1: case: fill=normal says how"),
        ("[[problem]]\ncase = '{case}'\ncount = 0", "problem 1: count: 0 is not a whole number"),
        ("[[problem]]\ncase = '{case}'\ncount = true", "problem 1: count: True is not a whole"),
        ("[[problem]]\ncase = '{case}'\ncount = '3'", "problem 1: count: '3' is not a whole"),
        (
            "[[problem]]\ncase = '{case}'\nphase = 'training'",
            "problem 1: phase: 'training' is not one of prefill, decode",
        ),
        ("[[problem]]\ncase = '{case}'\nwithin = 'vmap'", "problem 1: within: 'vmap' is not a"),
        ("[[problem]]\ncase = '{case}'\ntimes = 3", "problem 1: times: it is not one of case, "),
        ("[[problem]]\ncase = '{case}'\n[[left_out]]\ncount = 0", "left_out 1: count: 0 is not"),
    ],
)
def test_a_wrong_file_is_named_with_entry_and_field(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text.replace("{case}", CASE))
    with pytest.raises(ShapesError) as error:
        read_shapes(path)
    assert str(error.value).startswith(f"{path}: {said}")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ShapesError, match=r"nowhere\.toml cannot be read: No such file"):
        shapes_named(str(tmp_path / "nowhere.toml"))
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ShapesError, match=r"binary\.toml is not text in UTF-8"):
        read_shapes(tmp_path / "binary.toml")


def test_equal_problems_add_up_and_keep_their_parts() -> None:
    one, other = parse_problem(CASE), parse_problem(PROBLEMS[1])
    found = merged(
        [
            Shape(one, 2, "prefill", "up"),
            Shape(other, 1, "prefill", "up"),
            Shape(one, 3, "prefill", "down"),
            Shape(one, 5, "decode", "up"),
        ]
    )
    assert [(each.count, each.phase, each.part) for each in found] == [
        (5, "prefill", "up, down"),
        (1, "prefill", "up"),
        (5, "decode", "up"),
    ]
