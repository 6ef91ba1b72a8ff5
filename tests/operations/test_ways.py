"""Every choice of operands is mapped, and other sizes are sizes of the same call."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_applegpu.operations.draw import draw
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.operations.ways import PRIMALS, handed, maps_of, others, why_untransformed
from pytest_applegpu.problem import Problem, parse_problem


def drawn(problem: Problem, fill: str = "integer") -> Drawn:
    return draw(problem, fill, problem.dtype.significand, np.random.default_rng(0))


def test_every_choice_is_mapped_over_the_first_axis_and_over_others() -> None:
    problem = parse_problem("addmm-f32-nn-4x5x6 addend=row")
    said = [(way.operands, way.said["axes"]) for way in maps_of(problem, drawn(problem))]
    assert len({chosen for chosen, _ in said}) == 2**3 - 1
    assert (("a",), [0, None, None]) in said
    assert (("a",), [2, None, None]) in said
    assert (("a", "b", "c"), [2, 1, 2]) in said


def test_a_vector_is_mapped_along_the_axis_that_it_has() -> None:
    problem = parse_problem("matmul-f32-nn-1x5x6 a=vec")
    assert [handed(one) for one in problem.operands] == [(6,), (6, 5)]
    assert max(way.said["axes"][0] or 0 for way in maps_of(problem, drawn(problem))) == 1


def test_indices_that_are_said_to_rise_do_so_in_each_call() -> None:
    for text, moved in (("order=sorted", False), ("order=random", True)):
        problem = parse_problem(f"gather_mm-f32-nn-4x5x6-b7:3 {text}")
        first, second, *_ = next(iter(maps_of(problem, drawn(problem)))).sets
        assert np.array_equal(first.arrays[2], second.arrays[2]) is not moved


@pytest.mark.parametrize(
    "text",
    [
        "matmul-f32-nn-1x7x9 a=vec",
        "quantized_matmul-f32-nn-5x64x32 bits=8 group=32",
        "gather_qmm-f32-nt-5x8x64-b4:3",
        "conv1d-f32-nt-8x5x12-b2 pad=1 taps=4",
        "conv2d-f32-nt-35x5x18-b2 width=7",
        "sdpa-f32-nt-5x9x64-b2x4:2x2 mask=bool",
        "block_masked_mm-f32-nn-40x33x50 block=32",
    ],
)
def test_other_sizes_are_those_of_the_same_call(text: str) -> None:
    problem = parse_problem(text)
    found = [one for one, _ in others(problem)]
    assert problem not in found
    assert {one.invocation.name for one in found} == {problem.invocation.name}
    assert all(one.invocation.named == problem.invocation.named for one in found)
    assert all(why_untransformed("shapeless", one) is None for one in found)


def test_few_rows_come_before_all_sizes() -> None:
    found = [said for _, said in others(parse_problem("matmul-f32-nn-5x7x9"))]
    assert found == ["M = 2", "7x10x14"]


def test_what_cannot_be_transformed_says_why() -> None:
    empty = parse_problem("matmul-f32-nn-0x7x9")
    assert "at least one element" in (why_untransformed("vmap", empty) or "")
    codes = parse_problem("quantize-f32-nt-1x4x128")
    assert "is for matmul" in (why_untransformed("gradient", codes) or "")
    assert "quantize" not in PRIMALS
