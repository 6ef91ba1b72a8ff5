"""A worker takes another module in MLX's place, and is a worker like any other."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

from pytest_applegpu.emulated.target import variables
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.setting import Setting
from pytest_applegpu.worker.pool import Pool
from pytest_applegpu.worker.process import WorkerError
from pytest_applegpu.worker.requests import Answer, Refusal

M5 = Setting("on", "applegpu_g17s")


def test_it_multiplies_what_it_is_given() -> None:
    problem = parse_problem("matmul-bf16-tn-5x6x7-b2 a=pad:3 via=operator")
    a, b = (np.ones(shape, problem.dtype.numpy) for shape in (problem.shape_a, problem.shape_b))
    with Pool(sys.executable, "emulated", os.environ | variables(None, "0.32.1", None)) as pool:
        hello = pool.hello(M5)
        answer = pool.multiply(problem, M5, (a, b), repeat=2, limit=60)
    assert (hello["backend"], hello["mlx"]) == ("emulated", "0.32.1")
    assert isinstance(answer, Answer)
    assert (len(set(answer.digests)), answer.changed) == (1, ())
    np.testing.assert_array_equal(answer.results[0].astype(float), np.full((2, 5, 6), 7.0))


def test_its_errors_are_answers() -> None:
    problem = parse_problem("matmul-f64-nn-5x6x7")
    a, b = np.ones((5, 7)), np.ones((7, 6))
    with Pool(sys.executable, "emulated", os.environ) as pool:
        answer = pool.multiply(problem, M5, (a, b), limit=60)
    assert answer == Refusal(
        "ValueError: float64 is not supported on the GPU", "ValueError", sticky=False
    )


def test_without_an_architecture_it_does_not_start() -> None:
    with (
        Pool(sys.executable, "emulated", os.environ) as pool,
        pytest.raises(WorkerError, match="nor APPLEGPU_EMULATED_ARCH names an architecture"),
    ):
        pool.hello(Setting())
