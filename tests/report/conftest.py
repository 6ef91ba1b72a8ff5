"""Sample records that the report tests share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_applegpu.report.records import Record, from_builtins


@pytest.fixture
def make_record() -> Callable[..., Record]:
    """Return a maker of records of one small float16 product; any field can be given."""

    def make(**fields: Any) -> Record:
        plain: dict[str, Any] = {
            "case": "matmul-f16-nt-64x64x4096 fill=normal tf32=off",
            "kind": "bounded",
            "problem": {"op": "matmul", "dtype": "float16", "m": 64, "n": 64, "k": 4096},
            "setting": {"tf32": "off"},
            "verdict": "within",
        }
        return from_builtins(plain | fields)

    return make


@pytest.fixture
def full_record(make_record: Callable[..., Record]) -> Record:
    """Return a record in which every field says something."""
    return make_record(
        kind="throughput",
        verdict="slower",
        problem={
            "op": "matmul",
            "dtype": "float16",
            "m": 64,
            "n": 64,
            "k": 4096,
            "transpose": "nt",
            "batch_a": [2, 1],
            "batch_b": [1, 3],
            "layout_a": "pad:8",
            "layout_b": "plain",
            "params": {"via": "operator"},
        },
        setting={"tf32": "on", "arch": "applegpu_g16s"},
        error={
            "share": 4.25,
            "ulp": 118.0,
            "relative": 3.1e-2,
            "bias": -0.5,
            "wrong": 64,
            "total": 4096,
            "worst": [3, 17],
            "got": "1.25",
            "expected": "nan",
            "pattern": "the last row",
            "cause": "the last row is not written",
            "message": "Traceback",
        },
        time={
            "seconds": 1.23e-3,
            "low": 1.20e-3,
            "high": 1.26e-3,
            "spread": 0.04,
            "overhead_seconds": 1e-5,
            "samples": [1.2e-3, 1.26e-3],
            "tflops": 12.5,
            "gbs": 310.0,
            "peak_share": 0.42,
            "condition": {"power": "AC", "level": 0},
        },
        baseline={
            "verdict": "slower",
            "seconds": 4.1e-4,
            "ratio": 3.0,
            "low": 2.9,
            "high": 3.1,
            "limit": 1.1,
            "reasons": ["measured twice"],
            "likely_causes": ["MLX 0.31.0 is now 0.32.4"],
            "run": {"mlx": "0.31.0"},
        },
        device="cuda-h200",
        backend="cuda",
        mlx="0.32.4",
        worker={"tf32_measured": "tf32", "switches": {"MLX_MAX_OPS_PER_BUFFER": "1"}},
        seed=7,
        nodeid="suites/throughput/test_gemm.py::test_matmul[x]",
    )
