"""A worker makes a call through each transform of MLX's, and nothing of its folder is imported."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from pytest_applegpu.operations.draw import draw
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.operations.ways import Way, call_of, gradients_of, maps_of, others, own
from pytest_applegpu.problem import Problem, parse_problem
from pytest_applegpu.setting import Setting
from pytest_applegpu.worker.pool import Pool
from pytest_applegpu.worker.process import SERVE
from pytest_applegpu.worker.requests import Answer, Refusal

PROBLEM = parse_problem("matmul-f32-nt-4x6x5-b2:_ a=pad:3")


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """One worker for all tests."""
    with Pool(sys.executable, "cpu", os.environ) as pool:
        yield pool


def drawn(problem: Problem = PROBLEM, seed: int = 0) -> Drawn:
    bits = problem.dtype.significand
    return draw(problem, "integer", bits, np.random.default_rng(seed))


def made(pool: Pool, way: Way, problem: Problem = PROBLEM) -> list[np.ndarray]:
    answer = pool.transform(problem, Setting("off"), way, limit=60.0)
    assert isinstance(answer, Answer), answer
    assert answer.changed == ()
    return list(answer.parts)


def product(given: Drawn) -> np.ndarray:
    return np.asarray(given.A.astype(np.float64) @ given.B.astype(np.float64))


def test_gradients_come_with_the_result(pool: Pool) -> None:
    given, cotangent = drawn(), np.ones(PROBLEM.shape_c, np.float32)
    together, of_a, of_b = gradients_of(PROBLEM, given, cotangent)
    assert [way.operands for way in (together, of_a, of_b)] == [("a", "b"), ("a",), ("b",)]
    result, a, b = made(pool, together)
    np.testing.assert_array_equal(result, product(given))
    np.testing.assert_array_equal(a, cotangent @ given.B.T)
    np.testing.assert_array_equal(b, (given.A.swapaxes(-1, -2) @ cotangent).sum(axis=0))
    np.testing.assert_array_equal(made(pool, of_a)[1], a)
    np.testing.assert_array_equal(made(pool, of_b)[1], b)


def test_mapped_calls_come_together_and_one_by_one(pool: Pool) -> None:
    for way in maps_of(PROBLEM, drawn()):
        together, *apart = made(pool, way)
        np.testing.assert_array_equal(together, np.stack(apart))
        assert not np.array_equal(apart[0], apart[1])


@pytest.mark.parametrize("check", ["compiled", "shapeless", "exported"])
def test_both_sets_are_called(pool: Pool, check: str) -> None:
    for problem, at in others(PROBLEM):
        first, second = drawn(), drawn(problem, 1)
        if check == "compiled":
            problem, second = PROBLEM, drawn(seed=1)  # noqa: PLW2901 - one size alone
        way = call_of(check, PROBLEM, first, own(problem, second), at)
        for got, due in zip(made(pool, way), (first, second), strict=True):
            np.testing.assert_array_equal(got, product(due))


def test_what_is_lacking_leaves_the_worker_as_it_is(pool: Pool) -> None:
    problem = parse_problem("quantized_matmul-f32-nt-5x8x64")
    pid = pool.worker(Setting("off")).pid
    way = next(iter(maps_of(problem, drawn(problem))))
    answer = pool.transform(problem, Setting("off"), way, limit=60.0)
    assert isinstance(answer, Refusal)
    assert "NYI" in answer.text
    assert pool.worker(Setting("off")).pid == pid


def test_the_child_is_imported_by_no_name_of_ours() -> None:
    """Its modules shadow none: `memory`, `device` and others are no modules for the program."""
    code = (
        "import importlib.util, sys\n"
        "spec = importlib.util.spec_from_file_location('served', sys.argv[1])\n"
        "served = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(served)\n"
        "served.child()\n"
        "names = sorted(sys.modules)\n"
        "print([n for n in names if n == 'memory' or n.partition('.')[0] == 'pytest_applegpu'])\n"
        "print([p for p in sys.path if p.endswith(('worker', 'child'))])\n"
    )
    command = [sys.executable, "-c", code, str(SERVE)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/")
    assert done.stdout.split("\n")[:2] == ["[]", "[]"]
