"""A worker builds the layer that it is told of, and a fault can be planted in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from pytest_applegpu.numerics.bounds import promise
from pytest_applegpu.numerics.check import judge
from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.selftest.run import PLANTED
from pytest_applegpu.setting import Setting
from pytest_applegpu.worker.pool import Pool
from pytest_applegpu.worker.requests import Answer, call_of


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """One worker for all tests."""
    with Pool(sys.executable, "cpu", os.environ) as pool:
        yield pool


def verdict(pool: Pool, text: str, fill: str) -> str:
    """Run a case; return the verdict on it."""
    problem = parse_problem(text)
    dtype = problem.dtype
    drawn = draw(problem, fill, dtype.significand, np.random.default_rng(2))
    answer = pool.multiply(problem, Setting(), drawn.sent, repeat=2, limit=60.0)
    assert isinstance(answer, Answer)
    assert len(set(answer.digests)) == 1
    if drawn.judge is not None:
        return drawn.judge.judge(answer.parts).verdict
    (got,), rng = answer.parts, np.random.default_rng(1)
    pair, check = (drawn.A, drawn.B), FILLS[fill].check
    shape = problem.shape_c
    return judge(
        check, *pair, got, dtype, promise(dtype), rng, shape=shape, **drawn.meaning
    ).verdict


RIGHT = (
    "linear-f32-nt-9x33x64-b2x3:_ a=heads c=step",
    "linear-bf16-nn-1x33x64 b=pad:8",
    "linear-f16-tt-9x33x64 bias=no",
    "quantized_linear-f32-nt-9x40x128-b2:_ bits=8",
    "quantized_linear-f32-nt-1x40x128 mode=mxfp4 bias=no",
    "multi_head_attention-f32-nt-9x33x64-b2 bias=yes mask=causal q=heads wo=pad:8",
    "multi_head_attention-bf16-nt-1x33x64-b2 heads=8 mask=bool over=row",
)


@pytest.mark.parametrize("text", RIGHT)
@pytest.mark.parametrize("fill", ["integer", "normal"])
def test_mlx_is_right(pool: Pool, text: str, fill: str) -> None:
    """The CPU backend's layers give what their parameters mean."""
    assert verdict(pool, text, fill) in {"exact", "within"}


def test_a_request_says_the_layer_with_operands_by_their_numbers() -> None:
    """Nested as the layer's own parameters are."""
    call = call_of(parse_problem("multi_head_attention-f32-nt-9x33x64-b2 mask=bool"))
    assert call["layer"]["parameters"]["out_proj"] == {"weight": {"operand": 6}}
    assert call["named"] == {"mask": {"operand": 7}}
    assert "layer" not in call_of(parse_problem("matmul-f32-nn-2x3x4"))


PLANTS = {
    "none": ("linear-f32-nt-9x33x64", {"exact"}),
    "layer_bias_ignored": ("linear-f32-nt-9x33x64", {"over"}),
    "heads_reversed": ("multi_head_attention-f32-nt-9x33x64-b2", {"over"}),
}


@pytest.mark.parametrize("fault", PLANTS)
def test_a_fault_is_planted_in_a_layer(fault: str) -> None:
    """It shows in its own layer; the fault that is none shows in none."""
    text, due = PLANTS[fault]
    planted = {
        "PYTHONPATH": str(PLANTED),
        "APPLEGPU_SELFTEST_FAULT": fault,
        "APPLEGPU_SELFTEST_PROGRAM": "serve.py",
        "APPLEGPU_SELFTEST_LIBRARY": "mlx.core",
    }
    with Pool(sys.executable, "cpu", {**os.environ, **planted}) as pool:
        assert verdict(pool, text, "integer") in due
