"""A call that gives several arrays hands back all of them, and every operation is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from pytest_applegpu.operations.draw import draw
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.setting import Setting
from pytest_applegpu.worker.pool import Pool
from pytest_applegpu.worker.requests import Answer


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """One worker for all tests."""
    with Pool(sys.executable, "cpu", os.environ) as pool:
        yield pool


def called(pool: Pool, text: str, fill: str, repeat: int = 1) -> tuple[str, Answer]:
    """Run a case; return the verdict on it, and the answer."""
    problem = parse_problem(text)
    drawn = draw(problem, fill, problem.dtype.significand, np.random.default_rng(2))
    answer = pool.multiply(problem, Setting(), drawn.sent, repeat=repeat, limit=60.0)
    assert isinstance(answer, Answer)
    assert drawn.judge is not None
    return drawn.judge.judge(answer.parts).verdict, answer


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_quantize_gives_codes_scales_and_biases(pool: Pool, dtype: str) -> None:
    """In their own formats, repeated calls told by the bits of all three."""
    short = {"float32": "f32", "bfloat16": "bf16"}[dtype]
    verdict, answer = called(pool, f"quantize-{short}-nt-1x4x128", "normal", repeat=3)
    assert [str(part.dtype) for part in answer.parts] == ["uint32", dtype, dtype]
    assert [part.shape for part in answer.parts] == [(4, 16), (4, 2), (4, 2)]
    assert (verdict, len(answer.results), len(set(answer.digests))) == ("within", 1, 1)


RIGHT = (
    "sdpa-f16-nt-9x33x64-b2x4:2x2 q=heads k=heads v=rows:3 mask=bool over=row sinks=yes",
    "sdpa-f32-nt-9x33x64-b2x4:2x2 mask=add over=heads",
    "sdpa-bf16-nt-1x33x64-b2x4:2x1 mask=causal",
    "quantize-f16-nt-1x4x128 mode=mxfp8 w=pad:8",
    "dequantize-f16-nt-1x4x128 mode=nvfp4 scales=step",
    "dequantize-bf16-nt-1x4x128 bits=3 biases=pad:1",
)


@pytest.mark.parametrize("text", RIGHT)
@pytest.mark.parametrize("fill", ["integer", "normal"])
def test_mlx_is_right(pool: Pool, text: str, fill: str) -> None:
    """The CPU backend gives what definitions say."""
    verdict, answer = called(pool, text, fill)
    assert verdict in {"exact", "within"}
    assert not answer.changed
