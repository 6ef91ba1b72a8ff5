"""The product that operands are reduced to is what the operation returns by its definition."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_applegpu.numerics.bounds import promise
from pytest_applegpu.numerics.check import judge
from pytest_applegpu.numerics.reference import product
from pytest_applegpu.numerics.rounding import round_to, widen
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.problem import Problem, parse_problem
from tests.operations.definitions import DEFINITIONS, defined

TEXTS = (
    "matmul-f32-nt-9x10x35-b2x1:1x3",
    "addmm-f32-nt-9x10x35",
    "addmm-f16-nn-9x10x35 alpha=0.5 beta=-0.25 c=pad:8",
    "addmm-bf16-nn-9x10x35-b3 alpha=2 beta=-1 addend=row",
    "addmm-c64-nn-9x10x35-b3 alpha=2 beta=-1 addend=column",
    "addmm-f32-nn-9x10x35-b3 beta=2 addend=matrix",
    "addmm-f32-nn-9x10x35 alpha=0 addend=one",
    "addmm-f32-nn-9x10x0 alpha=2 beta=-1",
    "gather_mm-f32-nn-9x10x35-b4:8",
    "gather_mm-f16-nt-1x10x35-b16:8 order=sorted",
    "gather_mm-bf16-nt-3x10x35-b2x3:8 by=both picks=5 rhs=step lhs=neg",
    "gather_mm-f32-nt-3x10x35-b5:2x2 by=both picks=0",
    "gather_mm-f32-nt-3x10x35-b5:5 by=lhs order=sparse",
    "gather_mm-f32-nt-3x10x35-b5:5 order=same",
    "block_masked_mm-f32-nn-70x40x100",
    "block_masked_mm-f32-nt-70x40x100-b3 kind=float block=32 over=all",
    "block_masked_mm-f16-nt-70x40x100-b3 kind=float block=32 masks=o",
    "block_masked_mm-bf16-nt-70x40x100 masks=lr mask_lhs=pad:1",
    "segmented_mm-f32-nn-9x10x50",
    "segmented_mm-f32-nt-9x10x50 cut=empty parts=7",
    "segmented_mm-f16-nt-9x10x50 cut=overlap parts=7",
    "segmented_mm-f32-tn-9x10x50 cut=even parts=7",
    "segmented_mm-f32-tn-9x10x50 parts=0",
    *(
        f"quantized_matmul-{dtype}-nt-5x8x128 bits={bits} group={group}"
        for dtype, bits, group in (
            ("f32", 2, 32),
            ("f16", 3, 128),
            ("bf16", 5, 64),
            ("f32", 6, 32),
            ("bf16", 8, 32),
        )
    ),
    "quantized_matmul-f32-nn-5x64x20 scales=pad:1 biases=step w=rows:2",
    "quantized_matmul-bf16-nt-5x8x64-b3:_ mode=mxfp4",
    "quantized_matmul-f16-nt-5x8x64-b3 mode=mxfp8",
    "quantized_matmul-f32-nn-5x32x20 mode=nvfp4",
    "linear-f32-nt-9x10x35-b2x3:_",
    "linear-f16-nn-9x10x35 bias=no b=pad:8",
    "linear-bf16-tt-9x10x35-b2:_ c=step",
    "quantized_linear-f32-nt-5x8x128-b2:_ bits=8 group=32",
    "quantized_linear-bf16-nt-5x8x64 c=pad:1",
    "quantized_linear-f16-nt-5x8x64 mode=mxfp8 bias=no",
    "gather_qmm-f32-nt-5x8x64-b4:3",
    "gather_qmm-f16-nn-1x64x20-b9:3 order=sorted biases=pad:2",
    "gather_qmm-bf16-nt-2x8x32-b2:3 by=both picks=4 mode=mxfp4",
)


def drawn(text: str, fill: str = "integer") -> tuple[Problem, Drawn]:
    problem = parse_problem(text)
    rng = np.random.default_rng(0)
    return problem, draw(problem, fill, problem.dtype.significand, rng)


@pytest.mark.parametrize("fill", ["integer", "normal"])
@pytest.mark.parametrize("text", TEXTS)
def test_the_product_that_is_meant_is_the_operation_by_its_definition(text: str, fill: str) -> None:
    problem, found = drawn(text, fill)
    meant = found.epilogue.apply(product(found.A, found.B))
    assert meant.shape == (*problem.batch, problem.m, problem.n)
    right = np.broadcast_to(defined(problem, found), meant.shape)
    np.testing.assert_allclose(meant, right, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("text", TEXTS)
def test_exact_data_are_held_exactly_by_the_output_and_by_float32(text: str) -> None:
    problem, found = drawn(text)
    exact = found.epilogue.apply(product(found.A, found.B))
    np.testing.assert_array_equal(round_to(exact, problem.dtype), exact)
    kind = np.complex64 if problem.dtype.is_complex else np.float32
    single = np.matmul(widen(found.A).astype(kind), widen(found.B).astype(kind))
    np.testing.assert_array_equal(found.epilogue.apply(widen(single)), exact)


@pytest.mark.parametrize("text", TEXTS)
def test_right_results_pass_with_a_proof(text: str) -> None:
    problem, found = drawn(text)
    got = round_to(found.epilogue.apply(product(found.A, found.B)), problem.dtype)
    verdict = judge(
        "exact",
        found.A,
        found.B,
        got.astype(problem.dtype.numpy),
        problem.dtype,
        promise(problem.dtype),
        np.random.default_rng(1),
        **found.meaning,
    )
    assert verdict.verdict == "exact", verdict


@pytest.mark.parametrize("text", TEXTS)
def test_operands_have_the_shapes_and_formats_that_the_problem_says(text: str) -> None:
    problem, found = drawn(text)
    assert [one.shape for one in problem.operands] == [x.shape for x in found.sent]
    for one, x in zip(problem.operands, found.sent, strict=True):
        assert x.dtype.name == one.dtype, one.name


def test_every_plain_operation_is_tried() -> None:
    assert {parse_problem(text).op for text in TEXTS} == set(DEFINITIONS)


def test_an_unknown_fill_is_refused() -> None:
    problem = parse_problem(TEXTS[0])
    with pytest.raises(ValueError, match="fill 'x' is not one of integer,"):
        draw(problem, "x", 24, np.random.default_rng(0))
