"""A worker makes any call, and tells whether MLX refused it at once or later."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from pytest_applegpu.forms.flaws.flaw import Call
from pytest_applegpu.forms.flaws.table import FLAWS
from pytest_applegpu.forms.form import Invocation, Operand, operand
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.setting import Setting
from pytest_applegpu.views import Placement
from pytest_applegpu.worker.pool import Pool
from pytest_applegpu.worker.requests import Answer, Refusal

OFF = Setting("off")


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(sys.executable, "cpu", dict(os.environ)) as pool:
        yield pool


def call(text: str, flaw: str | None = None) -> Call:
    problem = parse_problem(text)
    drawn = draw(problem, "integer", 11, np.random.default_rng(0))
    right = Call(problem.operands, drawn.sent, problem.invocation)
    return right if flaw is None else FLAWS[problem.op, flaw].spoil(right)


def test_a_right_call_is_answered(pool: Pool) -> None:
    right = call("matmul-bf16-nt-4x5x6 b=pad:2")
    answer = pool.attempt(right, OFF, limit=30)
    assert isinstance(answer, Answer)
    a, b = (one.astype(np.float32) for one in right.arrays)
    assert np.array_equal(answer.results[0].astype(np.float32), a @ b)
    assert answer.changed == ()


@pytest.mark.parametrize(
    ("text", "flaw", "late"),
    [
        ("matmul-f32-nn-4x5x6", "inner", False),
        ("matmul-bf16-nn-4x5x6", "scalar", False),
        ("matmul-f16-nn-4x5x6", "integers", False),
        ("quantized_matmul-f32-nt-4x8x64", "group", True),
    ],
)
def test_a_refusal_is_told_and_when_it_came(
    text: str, flaw: str, *, late: bool, pool: Pool
) -> None:
    answer = pool.attempt(call(text, flaw), OFF, limit=30)
    assert isinstance(answer, Refusal)
    assert answer.late is late
    assert FLAWS[parse_problem(text).op, flaw].fits(answer.text)


def test_an_operand_without_elements_is_handed_over(pool: Pool) -> None:
    none = np.zeros((0, 3), np.float32)
    form = Operand("a", "float32", none.shape, Placement(none.shape, ()))
    asked = Call((form,), (none,), Invocation("abs", (operand("a"),)))
    answer = pool.attempt(asked, OFF, limit=30)
    assert isinstance(answer, Answer)
    assert answer.results[0].shape == (0, 3)
