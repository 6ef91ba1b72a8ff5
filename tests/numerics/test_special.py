from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.numerics.epilogue import Epilogue
from pytest_applegpu.numerics.rounding import Array, widen
from pytest_applegpu.numerics.special import (
    check_isolation,
    expected_isolation,
    isolation_operands,
    prove_isolation,
)
from tests.numerics.planted import honest

NAMES = list(DTYPES)
F32, C64 = DTYPES["float32"], DTYPES["complex64"]


def planted(seed: int = 0) -> tuple[Array, Array, Array]:
    """NaN in row 3 of A, Inf in column 5 of B, and their right product."""
    rng = np.random.default_rng(seed)
    A = rng.integers(1, 5, (8, 6)).astype(np.float32)
    B = rng.integers(1, 5, (6, 9)).astype(np.float32)
    A[3, 2], B[1, 5] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        return A, B, (A[:, :, None] * B[None]).sum(axis=1)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, deadline=None)
@given(
    m=st.integers(1, 12),
    n=st.integers(1, 12),
    k=st.integers(1, 30),
    batch=st.sampled_from([(), (2,), (2, 3)]),
    seed=st.integers(0, 2**32),
)
def test_honest_products_keep_specials_in_their_place(
    name: str, m: int, n: int, k: int, batch: tuple[int, ...], seed: int
) -> None:
    dtype = DTYPES[name]
    A, B = isolation_operands(
        dtype, (*batch, m, k), (*batch[-1:], k, n), np.random.default_rng(seed)
    )
    assert prove_isolation(A, B) is None
    C = honest(A, B, dtype)
    assert check_isolation(A, B, C, dtype).verdict == "exact"
    touched = ~np.isfinite(widen(C))
    assert touched.any()
    if (m, n) != (1, 1):
        assert not touched.all()


def test_exactly_one_row_and_one_column_are_touched() -> None:
    A, B, _ = planted()
    expected = expected_isolation(A, B)
    assert np.isnan(expected[3]).all()
    assert np.isposinf(np.delete(expected[:, 5], 3)).all()
    assert np.isfinite(np.delete(np.delete(expected, 3, 0), 5, 1)).all()


def test_zero_times_inf_is_nan() -> None:
    A, B, _ = planted()
    A[0, 1] = 0
    expected = expected_isolation(A, B)
    assert np.isnan(expected[0, 5])
    assert np.isposinf(expected[1, 5])


def test_nan_leaking_to_the_next_row_is_named() -> None:
    A, B, C = planted()
    C[4] = np.nan
    finding = check_isolation(A, B, C, F32)
    assert finding.verdict == "over"
    assert finding.pattern == "row 4"
    assert finding.cause == "NaN of row 3 leaks into row 4"


def test_inf_leaking_to_the_next_column_is_named() -> None:
    A, B, C = planted()
    C[:, 6] = np.inf
    assert check_isolation(A, B, C, F32).cause == "Inf of column 5 leaks into column 6"


def test_a_leak_within_one_matrix_of_a_batch_is_named() -> None:
    A, B = isolation_operands(F32, (3, 8, 6), (6, 9), np.random.default_rng(3))
    C = honest(A, B, F32)
    matrix, special = (int(i) for i in np.argwhere(~np.isfinite(A))[0][:2])
    other = (special + 1) % 8 if np.isfinite(A[matrix, (special + 1) % 8]).all() else special - 1
    C[matrix, other] = np.nan
    finding = check_isolation(A, B, C, F32)
    assert finding.pattern is not None
    assert finding.pattern.startswith(f"batch {matrix} only")
    assert finding.cause is not None
    assert finding.cause.endswith(f"leaks into row {other}")


def test_a_lost_nan_is_named() -> None:
    A, B, C = planted()
    C[3] = 1
    assert check_isolation(A, B, C, F32).cause == "NaN of row 3 does not reach the result"


def test_inf_in_place_of_nan_is_wrong() -> None:
    A, B, C = planted()
    C[3, 0] = np.inf
    finding = check_isolation(A, B, C, F32)
    assert (finding.verdict, finding.worst) == ("over", (3, 0))


def test_inf_of_the_other_sign_is_wrong() -> None:
    A, B, C = planted()
    C[0, 5] = -np.inf
    assert check_isolation(A, B, C, F32).verdict == "over"


def test_a_stray_element_is_said_to_be_stray() -> None:
    A, B, C = planted()
    C[7, 0] = np.nan
    cause = check_isolation(A, B, C, F32).cause
    assert cause == "NaN or Inf appear outside their rows and columns"


def test_finite_elements_must_be_right_to_the_bit() -> None:
    A, B, C = planted()
    C[0, 0] = np.nextafter(C[0, 0], np.float32(0))
    finding = check_isolation(A, B, C, F32)
    assert (finding.verdict, finding.worst, finding.cause) == ("over", (0, 0), None)


@pytest.mark.parametrize("value", [complex(np.nan, np.nan), complex(np.inf, 0), complex(0, np.nan)])
def test_complex_specials_are_isolated_by_element(value: complex) -> None:
    A, B = isolation_operands(C64, (6, 5), (5, 7), np.random.default_rng(2))
    C = honest(A, B, C64)
    C[~np.isfinite(C)] = value
    assert check_isolation(A, B, C, C64).verdict == "exact"


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (np.ones((3, 2)), "neither operand holds NaN or Inf"),
        (np.full((3, 2), np.nan), "no element of the result is clean, so nothing could leak"),
    ],
)
def test_data_without_a_place_to_leak_prove_nothing(spoil: Array, says: str) -> None:
    assert prove_isolation(spoil.astype(np.float32), np.ones((2, 4), np.float32)) == says


def test_empty_operands_have_nothing_to_prove() -> None:
    assert prove_isolation(np.ones((3, 0), np.float32), np.ones((0, 4), np.float32)) is None


def test_a_product_times_zero_may_be_left_out_or_not() -> None:
    """As BLAS has it, or as IEEE 754 does; but for all of the result alike."""
    A, B, C = planted()
    addend = np.arange(72.0).reshape(8, 9)
    epilogue = Epilogue(0.0, addend)
    with np.errstate(invalid="ignore"):
        multiplied = (0 * C + addend).astype(np.float32)
    left_out = addend.astype(np.float32)
    for right in (left_out, multiplied):
        assert check_isolation(A, B, right, F32, epilogue).verdict == "exact"
    mixed = np.where(np.arange(9) < 5, left_out, multiplied)
    assert check_isolation(A, B, mixed, F32, epilogue).verdict == "over"
    assert check_isolation(A, B, left_out, F32, Epilogue(1.0, addend)).verdict == "over"
    assert check_isolation(A, B, left_out + 1, F32, epilogue).verdict == "over"
