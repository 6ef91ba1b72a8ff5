from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.rounding import keep_bits, larger_part, round_to, spacing, widen

NAMES = ("float32", "float16", "bfloat16")
NARROW = [DTYPES[name] for name in NAMES]
finite = st.floats(allow_nan=False, allow_infinity=False, width=64)


def nearest(value: float, dtype: DType) -> float:
    """Round by exact rational arithmetic, ties to even."""
    exponent = max(int(np.frexp(value)[1]), int(np.frexp(dtype.smallest_normal)[1]))
    step = Fraction(2) ** (exponent - dtype.significand)
    rounded = round(Fraction(value) / step) * step
    if abs(rounded) > Fraction(dtype.largest):
        return float(np.copysign(np.inf, value))
    return float(rounded)


@pytest.mark.parametrize("dtype", NARROW, ids=NAMES)
@given(value=finite)
def test_rounds_once_and_to_nearest(dtype: DType, value: float) -> None:
    assert round_to(np.array([value]), dtype)[0] == nearest(value, dtype)


@pytest.mark.parametrize("dtype", NARROW, ids=NAMES)
@given(value=st.floats(-60, 60), near=st.integers(-2, 2))
def test_rounds_right_beside_ties(dtype: DType, value: float, near: int) -> None:
    tie = nearest(value, dtype) + float(spacing(np.array([value]), dtype)[0]) / 2
    beside = tie * (1 + near * 2.0**-50)
    assert round_to(np.array([beside]), dtype)[0] == nearest(beside, dtype)


@given(value=st.floats(-(2.0**100), 2.0**100, width=32))
def test_keeping_bits_is_what_the_formats_do(value: float) -> None:
    x = np.array([value])
    assert keep_bits(x, 24)[0] == value
    if abs(value) > 1e-30:
        assert keep_bits(x, 8)[0] == x.astype(np.float32).astype(ml_dtypes.bfloat16)[0]


@given(value=st.floats(1e-290, 1e300), bits=st.integers(2, 52))
def test_truncation_goes_toward_zero_by_less_than_a_step(value: float, bits: int) -> None:
    x = np.array([value])
    cut = keep_bits(x, bits, truncate=True)[0]
    assert abs(cut) <= abs(value)
    assert abs(value) - abs(cut) <= abs(value) * 2.0 ** (1 - bits)


def test_special_values_keep_all_bits() -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.0])
    for truncate in (False, True):
        np.testing.assert_array_equal(keep_bits(x, 8, truncate=truncate), x)
    np.testing.assert_array_equal(keep_bits(x, 53), x)


def test_complex_numbers_are_cut_by_part() -> None:
    x = np.array([[1 + 2.0**-12 + 3j, 1j * (1 + 2.0**-12)]])
    np.testing.assert_array_equal(keep_bits(x, 11, truncate=True), [[1 + 3j, 1j]])


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=list(DTYPES))
def test_widening_changes_no_value(dtype: DType) -> None:
    x = np.random.default_rng(3).standard_normal((5, 7)).astype(dtype.numpy)
    np.testing.assert_array_equal(widen(x.T), x.T.astype(widen(x).dtype))
    assert widen(x).dtype == (np.complex128 if dtype.is_complex else np.float64)


@given(value=st.floats(-(2.0**126), 2.0**126, width=32))
def test_spacing_is_that_of_the_format(value: float) -> None:
    x = np.array([value])
    expected = np.abs(np.spacing(x.astype(np.float32)))[0]
    assert spacing(x, DTYPES["float32"])[0] == expected


def test_larger_part_of_real_and_complex() -> None:
    np.testing.assert_array_equal(larger_part(np.array([-2.0, 1.0])), [2, 1])
    np.testing.assert_array_equal(larger_part(np.array([1 - 3j, -4 + 1j])), [3, 4])
