"""A gradient is held exactly where every sum is, and within a bound elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.numerics.bounds import promise
from pytest_applegpu.numerics.pulled import Pulled, allowance, grain, judge_pulled

HALF = DTYPES["float16"]


@pytest.mark.parametrize(
    ("numbers", "step"),
    [
        ([1.0, 3.0, 0.0], 1.0),
        ([0.5, 2.0], 0.5),
        ([0.375], 0.125),
        ([1 / 3], 0.0),
        ([1 + 0.5j], 0.5),
    ],
)
def test_the_grain_divides_every_number(numbers: list[complex], step: float) -> None:
    assert grain(np.array(numbers)) == step


def test_small_sums_of_whole_numbers_are_exact_and_large_ones_are_not() -> None:
    one = Pulled(np.array([100.0, 3000.0]), np.array([200.0, 4000.0]), 8)
    exact, bounded = allowance(one, HALF, promise(HALF), 1.0)
    assert exact == 0
    assert bounded > 4000 * HALF.unit
    assert (allowance(one, HALF, promise(HALF), 0.0) > 0).all()


def test_more_sums_that_are_added_up_allow_more() -> None:
    few, many = (Pulled(np.ones(1), np.ones(1), 8, folds) for folds in (1, 30))
    assert allowance(few, HALF, promise(HALF), 0) < allowance(many, HALF, promise(HALF), 0)


def verdict(got: np.ndarray, exact: np.ndarray, size: np.ndarray) -> str:
    one = Pulled(exact, size, 4)
    return judge_pulled(got, one, np.zeros(exact.shape), (2, 2), HALF).verdict


def test_shape_and_format_are_those_of_the_operand() -> None:
    right = np.array([[1.0, 2.0], [3.0, 0.0]])
    assert verdict(right.astype(np.float16), right, np.abs(right)) == "exact"
    assert verdict(right.astype(np.float32), right, np.abs(right)) == "misshapen"
    assert verdict(right.astype(np.float16).ravel(), right, np.abs(right)) == "misshapen"
    assert verdict(-right.astype(np.float16), right, np.abs(right)) == "over"


def test_zeros_where_something_is_added_up_prove_nothing() -> None:
    nothing = np.zeros((2, 2))
    assert verdict(nothing.astype(np.float16), nothing, np.ones((2, 2))) == "no proof"
    assert verdict(nothing.astype(np.float16), nothing, nothing) == "exact"
