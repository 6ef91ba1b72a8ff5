"""Another call that must give the same result does so, if both are made rightly."""

from __future__ import annotations

from dataclasses import replace
from itertools import product as pairs

import numpy as np
import pytest

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.numerics.reference import product
from pytest_applegpu.numerics.rounding import Array, round_to
from pytest_applegpu.numerics.twins import compare_twins, normal_products, scaled_exactly
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.operations.twins import Twin, twins, why_alone
from pytest_applegpu.problem import Problem, parse_problem
from tests.operations.definitions import defined

TEXTS = (
    "matmul-f32-nt-66x7x35-b2 a=pad:3",
    "addmm-f16-nt-66x7x35 alpha=0.5 beta=-1 c=off:1",
    "gather_mm-f32-nt-17x7x35-b4:3 by=both picks=5 rhs=step",
    "block_masked_mm-f32-nn-70x40x100 mask_lhs=pad:1",
    "segmented_mm-f32-nn-17x7x35 segments=rows:1",
    "quantized_matmul-bf16-nt-17x8x64 scales=pad:1",
    "quantized_matmul-f32-nt-17x8x64 mode=nvfp4 w=rows:1",
    "gather_qmm-f32-nt-17x8x64-b4:3 biases=step",
    "linear-bf16-nt-17x7x35-b2:_ b=pad:1",
    "quantized_linear-f16-nt-17x8x64-b2:_ c=step",
)


def drawn(problem: Problem) -> Drawn:
    bits = problem.dtype.significand
    return draw(problem, "normal", bits, np.random.default_rng(0))


def made(problem: Problem, operands: Drawn) -> Array:
    """Return the result by the operation's definition, rounded once."""
    full = (*problem.batch, problem.m, problem.n)
    exact = np.broadcast_to(defined(problem, operands), full)
    return round_to(exact, problem.dtype).astype(problem.dtype.numpy)


@pytest.mark.parametrize(("text", "check"), list(pairs(TEXTS, ("view", "rows", "scaling"))))
def test_twins_of_right_results_agree(text: str, check: str) -> None:
    problem = parse_problem(text)
    operands = drawn(problem)
    first = made(problem, operands)
    found = list(twins(check, problem, operands))
    assert found
    for twin in found:
        second = made(twin.problem, twin.drawn)
        assert agrees(first, second, twin, problem), twin.name
        spoilt = second.copy()
        spoilt[..., 0, 0] *= 3
        assert not agrees(first, spoilt, twin, problem), twin.name


def agrees(first: Array, second: Array, twin: Twin, problem: Problem) -> bool:
    if twin.power:
        grown, safe = scaled_exactly(first, twin.power, problem.dtype)
        first, second = grown, np.where(safe, second, grown)
    if twin.rows:
        first = first[..., : twin.rows, :]
    none = np.zeros(first.shape)
    return compare_twins(first, second, none, problem.dtype).verdict == "exact"


@pytest.mark.parametrize("text", TEXTS)
def test_what_a_twin_means_is_what_it_sends(text: str) -> None:
    problem = parse_problem(text)
    for check in ("view", "rows", "scaling"):
        for twin in twins(check, problem, drawn(problem)):
            meant = twin.drawn.epilogue.apply(product(twin.drawn.A, twin.drawn.B))
            sent = np.broadcast_to(defined(twin.problem, twin.drawn), meant.shape)
            np.testing.assert_allclose(meant, sent, rtol=1e-9, atol=1e-9)


def test_operands_that_leave_the_range_when_they_are_scaled_are_not_sent() -> None:
    """The addend grows by 2**5, and is too large for it where the product does not count."""
    problem = parse_problem("addmm-f16-nt-6x7x35 alpha=0 beta=0.5")
    operands = drawn(problem)
    a, b, c = operands.sent
    assert len(list(twins("scaling", problem, operands))) == 1
    c = c.copy()
    c[0, 0] = 4000
    assert not list(twins("scaling", problem, replace(operands, sent=(a, b, c))))


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("matmul-f64-nt-6x7x35-b2x1:1x3 a=pad:3", "matmul-f64-nt-7x6x35-b1x3:2x1 b=pad:3"),
        ("matmul-f64-nn-6x7x35 via=inner", "matmul-f64-tt-7x6x35 via=inner"),
    ],
)
def test_the_transposed_product_is_the_result_transposed(text: str, turned: str) -> None:
    problem = parse_problem(text)
    (twin,) = twins("transposed", problem, drawn(problem))
    assert str(twin.problem) == turned
    for one, array in zip(twin.problem.operands, twin.drawn.sent, strict=True):
        assert array.shape == one.shape
    second = np.swapaxes(made(twin.problem, twin.drawn), -1, -2)
    np.testing.assert_allclose(made(problem, drawn(problem)), second, rtol=1e-12)


@pytest.mark.parametrize(
    ("check", "text", "reason"),
    [
        ("view", "matmul-f32-nt-6x7x35", "needs an operand that is a view"),
        ("rows", "matmul-f32-nt-1x7x35", "needs M of 2 and more"),
        ("transposed", "addmm-f32-nt-6x7x35", "is for matmul, not addmm"),
        ("transposed", "matmul-f32-nt-1x7x35 a=vec", "needs matrices"),
    ],
)
def test_a_case_without_a_twin_is_refused(check: str, text: str, reason: str) -> None:
    assert reason in str(why_alone(check, parse_problem(text)))


def test_elements_at_the_ends_of_the_range_are_not_held_to_exact_scaling() -> None:
    dtype = parse_problem("matmul-f16-nn-1x1x1").dtype
    values = np.array([0.0, 6e-8, 1e-5, 1.0, 60000.0], np.float16)
    grown, safe = scaled_exactly(values, 4, dtype)
    assert safe.tolist() == [False, False, False, True, False]
    assert grown[3] == 16


def test_products_that_are_subnormal_are_not_held_to_exact_scaling() -> None:
    """They are rounded where their scaled ones are not; zeros are not counted."""
    dtype = parse_problem("matmul-bf16-nn-1x1x1").dtype
    A = np.array([[2.0**-60, 0], [2.0**-70, 1], [0, 0]]).astype(dtype.numpy)
    B = np.array([[2.0**-60, 2.0**-66], [1, 0]]).astype(dtype.numpy)
    found = normal_products(A, B, dtype)
    assert found.tolist() == [[True, True], [False, False], [True, True]]
    assert normal_products(A.astype(np.float64), B.astype(np.float64), DTYPES["float64"]).all()


def test_twins_within_both_bounds_pass_and_are_counted() -> None:
    dtype = parse_problem("matmul-f32-nn-1x1x1").dtype
    first = np.ones((2, 3), np.float32)
    second = first.copy()
    second[0, 1] += np.float32(2**-23)
    allowed = np.full((2, 3), 2.0**-22)
    found = compare_twins(first, second, allowed, dtype)
    assert (found.verdict, found.detail) == ("within", "1 of 6 elements differ")
    assert compare_twins(first, second, np.zeros((2, 3)), dtype).verdict == "over"
