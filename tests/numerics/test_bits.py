"""Whether two results are the same bits, and how far apart they are if not."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.numerics.bits import Bits, compare_bits

FLOATS = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)


@pytest.mark.parametrize("dtype", [*FLOATS, np.complex64, np.uint32, np.bool_])
def test_the_same_is_identical(dtype: Any) -> None:
    array = np.arange(6).reshape(2, 3).astype(dtype)
    found = compare_bits([array], [array.copy()])
    assert found == Bits(0, 6, 0.0)
    assert found.identical


@pytest.mark.parametrize("dtype", FLOATS)
@given(steps=st.integers(1, 40), at=st.sampled_from([-3.0, -1.0, 0.0, 0.5, 1.0, 100.0]))
def test_a_step_to_the_next_number_is_one_ulp(dtype: Any, steps: int, at: float) -> None:
    one = np.zeros(4, dtype)
    one[2] = at
    two = one.copy()
    for _ in range(steps):
        two[2] = np.nextafter(two[2], np.array(200, dtype))
    assert compare_bits([one], [two]) == Bits(1, 4, float(steps))
    assert compare_bits([two], [one]) == Bits(1, 4, float(steps))


def test_across_zero_both_ways_are_counted() -> None:
    least = np.finfo(np.float64).smallest_subnormal
    assert compare_bits([np.array([-least])], [np.array([2 * least])]) == Bits(1, 1, 3.0)


def test_zeros_of_other_signs_differ_by_nothing_and_yet_differ() -> None:
    assert compare_bits([np.array([0.0])], [np.array([-0.0])]) == Bits(1, 1, 0.0)


def test_nan_of_any_bits_are_alike_and_one_alone_is_at_no_distance() -> None:
    other = np.array([0x7FC00001], np.uint32).view(np.float32)
    assert compare_bits([np.array([np.nan], np.float32)], [other]).identical
    assert compare_bits([np.array([1.0, 2.0])], [np.array([np.nan, 3.0])]) == Bits(2, 2, None)


def test_a_complex_number_differs_once_and_by_its_worse_part() -> None:
    one = np.array([1 + 1j, 2 + 2j], np.complex64)
    two = one.copy()
    two.view(np.float32)[:2] += np.array([1, 3], np.float32) * np.spacing(np.float32(1))
    assert compare_bits([one], [two]) == Bits(1, 2, 3.0)


def test_whole_numbers_have_no_ulp() -> None:
    one, two = np.array([1, 2, 3], np.uint32), np.array([1, 5, 4], np.uint32)
    assert compare_bits([one], [two]) == Bits(2, 3, None)


def test_several_arrays_are_taken_together_and_a_misfit_is_named() -> None:
    one, two = np.ones(3, np.float32), np.ones((2, 2), np.float32)
    near = np.nextafter(two, np.float32(2))
    assert compare_bits([one, two], [one, near]) == Bits(4, 7, 1.0)
    found = compare_bits([one], [np.ones(3, np.float16)])
    assert not found.identical
    assert found.misfit == "float32 (3,) against float16 (3,)"
    one, two = np.array(1, np.float32), np.array(2, np.float32)
    assert compare_bits([one], [two]).differing == 1
