"""Windows of an input times kernels are what a convolution is by its definition."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_applegpu.numerics.bounds import promise
from pytest_applegpu.numerics.check import judge
from pytest_applegpu.numerics.reference import product
from pytest_applegpu.numerics.rounding import Array, widen
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.problem import Problem, parse_problem

TEXTS = (
    "conv1d-f32-nt-12x5x21-b2",
    "conv1d-f16-nt-12x5x20-b2 taps=4 pad=2",
    "conv1d-bf16-nt-7x3x5-b1 taps=1",
    "conv2d-f32-nt-15x4x45-b2 width=5",
    "conv2d-f16-nt-16x4x27-b1 pad=1",
    "conv2d-bf16-nt-16x2x8-b3 taps=2",
)

EMPTY = (
    "conv1d-f32-nt-12x0x21-b2",
    "conv1d-f16-nt-12x5x0-b2 pad=1",
    "conv2d-f32-nt-16x0x27-b1 pad=1",
    "conv2d-bf16-nt-16x2x0-b0",
)


def by_loops(problem: Problem, given: Array, weight: Array) -> Array:
    """Add up taps and channels of each place (cross-correlation, as MLX and others define it)."""
    pad = int(problem.param("pad"))
    space = range(1, given.ndim - 1)
    padded = np.pad(given, [(pad, pad) if axis in space else (0, 0) for axis in range(given.ndim)])
    result = np.zeros(problem.shape_c)
    for index in np.ndindex(problem.shape_c):
        image, *place, kernel = index
        window = tuple(
            slice(start, start + taps)
            for start, taps in zip(place, weight.shape[1:-1], strict=True)
        )
        result[index] = (padded[(image, *window)] * weight[kernel]).sum()
    return result


@pytest.mark.parametrize("fill", ["integer", "normal", "ones"])
@pytest.mark.parametrize("text", TEXTS + EMPTY)
def test_the_product_is_the_convolution(text: str, fill: str) -> None:
    """And it passes the check of its fill."""
    problem = parse_problem(text)
    bits = problem.dtype.significand
    drawn = draw(problem, fill, bits, np.random.default_rng(1))
    right = by_loops(problem, *(widen(one) for one in drawn.sent))
    reduced = product(drawn.A, drawn.B).reshape(problem.shape_c)
    np.testing.assert_allclose(reduced, right, rtol=1e-12, atol=1e-12)
    finding = judge(
        "bounded" if fill == "normal" else "exact",
        drawn.A,
        drawn.B,
        right.astype(problem.dtype.numpy),
        problem.dtype,
        promise(problem.dtype),
        np.random.default_rng(0),
        shape=problem.shape_c,
        **drawn.meaning,
    )
    assert finding.passed, finding


def test_one_image_serves_all_rows_under_a_stride_of_zero() -> None:
    """The input that is drawn is one that can be stored."""
    problem = parse_problem("conv2d-f32-nt-16x4x27-b2 input=bc")
    given, _ = draw(problem, "normal", 24, np.random.default_rng(1)).sent
    np.testing.assert_array_equal(given, np.broadcast_to(given[:1, :1], given.shape))
