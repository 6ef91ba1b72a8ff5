"""Gradients are those of the definition: how the result changes with each operand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pytest_applegpu.numerics.rounding import Array, widen
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.operations.gradients import fold, pulled, step_of
from pytest_applegpu.operations.ways import PRIMALS
from pytest_applegpu.problem import Problem, parse_problem
from tests.operations.definitions import defined

TEXTS = (
    "matmul-f64-nt-4x6x5-b2x1:1x3",
    "matmul-f64-tn-4x6x5-b2:_",
    "addmm-f32-nn-4x6x5-b2:_ alpha=0.5 beta=-1 addend=row",
    "addmm-f32-nn-4x6x5 alpha=2 beta=0.5 addend=one",
    "gather_mm-f32-nn-4x6x5-b4:3 by=both picks=5",
    "gather_mm-f32-nn-4x6x5-b2:4 by=lhs",
    "block_masked_mm-f32-nn-40x33x50 block=32 kind=float",
    "block_masked_mm-f32-nn-40x33x50-b2 block=32 masks=lr over=all",
    "segmented_mm-f32-nn-4x6x15 cut=overlap",
    "quantized_matmul-f32-nt-4x8x64",
    "gather_qmm-f32-nt-4x8x64-b4:3 mode=mxfp4 by=both picks=5",
)


def drawn(problem: Problem) -> Drawn:
    return draw(problem, "integer", problem.dtype.significand, np.random.default_rng(0))


def moved(
    problem: Problem, given: Drawn, name: str, rng: np.random.Generator
) -> tuple[Drawn, Array]:
    """Return the operands with one of them moved by small whole numbers, and by which."""
    place = [one.name for one in problem.operands].index(name)
    step = rng.integers(-3, 4, given.sent[place].shape).astype(np.float64)
    sent = list(given.sent)
    sent[place] = widen(sent[place]) + step
    return replace(given, sent=tuple(sent)), step


@pytest.mark.parametrize("text", TEXTS)
def test_a_result_moves_as_its_gradient_says(text: str) -> None:
    problem, rng = parse_problem(text), np.random.default_rng(1)
    given = drawn(problem)
    cotangent = rng.integers(-2, 3, problem.shape_c).astype(problem.dtype.numpy)
    found = pulled(problem, given, cotangent)
    assert set(found) == set(PRIMALS[problem.op])
    weight = widen(cotangent).reshape(problem.grid)
    for name, one in found.items():
        other, step = moved(problem, given, name, rng)
        change = np.broadcast_to(defined(problem, other), problem.grid) - np.broadcast_to(
            defined(problem, given), problem.grid
        )
        # Linear in each operand, so that no step is too long.
        np.testing.assert_allclose((weight * change).sum(), (one.exact * step).sum(), rtol=1e-12)
        assert (np.abs(one.exact) <= one.size * (1 + 1e-12)).all()


@pytest.mark.parametrize(
    "text", ["conv1d-f32-nt-8x5x12-b2 pad=1 taps=4", "conv2d-f32-nt-20x5x18-b2 width=5"]
)
def test_windows_that_overlap_are_added_up(text: str) -> None:
    """The gradient of an input is what the transposed convolution gives: <G, conv(X)> = <dX, X>."""
    problem = parse_problem(text)
    given = drawn(problem)
    cotangent = np.random.default_rng(1).integers(-2, 3, problem.shape_c).astype(np.float32)
    found = pulled(problem, given, cotangent)
    product = widen(given.A) @ widen(given.B)
    whole = (product * cotangent.reshape(problem.grid)).sum()
    for name, sent in zip(("input", "weight"), given.sent, strict=True):
        assert found[name].exact.shape == sent.shape
        np.testing.assert_allclose((found[name].exact * widen(sent)).sum(), whole, rtol=1e-12)


def test_a_complex_gradient_has_the_conjugate() -> None:
    problem = parse_problem("matmul-c64-nn-2x3x4")
    given = drawn(problem)
    cotangent = np.full((2, 3), 1 + 2j, np.complex64)
    found = pulled(problem, given, cotangent)["a"].exact
    np.testing.assert_array_equal(found, cotangent @ given.B.conj().T)


def test_inner_is_handed_b_transposed_and_its_gradient_is_so_too() -> None:
    cotangent = np.arange(24.0).reshape(4, 6)
    found = []
    for via in ("function", "inner"):
        problem = parse_problem(f"matmul-f64-nn-4x6x5 via={via}")
        found.append(pulled(problem, drawn(problem), cotangent)["b"].exact)
    np.testing.assert_array_equal(found[0], found[1].T)


def test_folding_adds_up_what_was_broadcast() -> None:
    assert fold(np.ones((2, 3, 4)), (3, 4)).tolist() == np.full((3, 4), 2.0).tolist()
    assert fold(np.ones((2, 3, 4)), (1, 4)).tolist() == [[6.0] * 4]
    assert fold(np.ones((2, 3, 4)), (2, 1, 1)).tolist() == [[[12.0]], [[12.0]]]


def test_the_step_of_sums_is_that_of_the_smallest_factor() -> None:
    whole = parse_problem("matmul-f32-nn-2x3x4")
    assert step_of(whole, drawn(whole), np.ones((2, 3), np.float32)) == 1
    halved = parse_problem("addmm-f32-nn-2x3x4 alpha=0.5")
    assert step_of(halved, drawn(halved), np.ones((2, 3), np.float32)) == 0.5
