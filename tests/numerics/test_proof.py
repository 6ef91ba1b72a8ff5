from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.bounds import promise
from pytest_applegpu.numerics.compare import compare_bounded, compare_exact
from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.numerics.proof import expect_bounded, expect_exact, prove
from pytest_applegpu.numerics.rounding import Array, larger_part
from tests.drawing import make
from tests.numerics.planted import honest, without_tail

F32 = DTYPES["float32"]
PROVED = [name for name, fill in FILLS.items() if fill.check in {"exact", "bounded"}]


def random_operands() -> tuple[Array, Array]:
    rng = np.random.default_rng(1)
    return (
        rng.integers(1, 9, (4, 5)).astype(np.float32),
        rng.integers(1, 9, (5, 6)).astype(np.float32),
    )


@pytest.mark.parametrize("check", ["exact", "bounded"])
def test_good_data_prove(check: str) -> None:
    assert prove(check, *random_operands(), F32) is None


@pytest.mark.parametrize("check", ["exact", "bounded"])
def test_a_zero_last_column_hides_a_lost_tail(check: str) -> None:
    A, B = random_operands()
    A[:, -1] = 0
    assert prove(check, A, B, F32) == "dropping the last element of K would not be seen"


@pytest.mark.parametrize("check", ["exact", "bounded"])
def test_equal_rows_hide_a_swap(check: str) -> None:
    A, B = random_operands()
    A[:] = A[0]
    assert prove(check, A, B, F32) == "swapping two rows would not be seen"


@pytest.mark.parametrize("check", ["exact", "bounded"])
def test_equal_columns_hide_a_swap(check: str) -> None:
    A, B = random_operands()
    B[:] = B[:, :1]
    assert prove(check, A, B, F32) == "swapping two columns would not be seen"


@pytest.mark.parametrize("check", ["exact", "bounded"])
def test_zeros_hide_a_zeroed_element(check: str) -> None:
    A = np.zeros((5, 1), np.float32)
    A[1::4] = 1
    B = np.array([[1.0, 2, 3]], np.float32)
    assert prove(check, A, B, F32) == "setting one element to zero would not be seen"


def test_a_wide_bound_hides_what_equality_shows() -> None:
    A, B = np.full((1, 2**12), 1000, np.float32), np.full((2**12, 1), 1000, np.float32)
    A[0, -1] = B[-1, 0] = 1
    assert prove("bounded", A, B, F32) == "dropping the last element of K would not be seen"
    assert prove("exact", A % 10 + A[0, -1], B % 10 + 1, F32) is None


def test_one_matrix_of_a_batch_is_enough_to_refuse() -> None:
    A, B = random_operands()
    stack = np.stack([A, A])
    stack[1, :, -1] = 0
    assert prove("exact", stack, B, F32) == "dropping the last element of K would not be seen"


@pytest.mark.parametrize(("a", "b"), [((0, 3), (3, 2)), ((2, 0), (0, 2)), ((0, 2, 1), (0, 1, 4))])
def test_nothing_to_prove_where_there_is_nothing(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    assert prove("exact", np.ones(a, np.float32), np.ones(b, np.float32), F32) is None


def test_unknown_checks_are_refused() -> None:
    with pytest.raises(ValueError, match="check 'projection' is not one of exact, bounded"):
        prove("projection", *random_operands(), F32)


@pytest.mark.parametrize("fill", PROVED)
@settings(max_examples=12, deadline=None)
@given(
    name=st.sampled_from(list(DTYPES)),
    m=st.integers(1, 24),
    n=st.integers(1, 24),
    k=st.integers(2, 150),
    seed=st.integers(0, 2**32),
)
def test_what_is_proved_is_seen(fill: str, name: str, m: int, n: int, k: int, seed: int) -> None:
    """Plant the four faults of the proof in a right result, and compare each."""
    dtype = DTYPES[name]
    A, B = make(fill, dtype, (m, k), (k, n), dtype.significand, np.random.default_rng(seed))
    C = honest(A, B, dtype)
    wrong = wrong_elements(fill, A, B, dtype)
    assert not wrong(C).any()
    assert wrong(without_tail(1)(A, B, dtype)).any()
    assert wrong(np.zeros_like(C)).mean() >= 0.5
    for axis in (0, 1):
        swaps = [swapped(C, axis, place) for place in range(C.shape[axis] - 1)]
        assert not swaps or np.mean([wrong(swap).any() for swap in swaps]) >= 0.5


def wrong_elements(fill: str, A: Array, B: Array, dtype: DType) -> Callable[[Array], Array]:
    if FILLS[fill].check == "exact":
        expected = expect_exact(A, B, dtype).expected
        return lambda got: compare_exact(got, expected, dtype).wrong
    expectation, _ = expect_bounded(A, B, dtype, promise(dtype))
    exact, allowed = expectation.exact, expectation.allowed

    def over(got: Array) -> Array:
        flushed = (got == 0) & (larger_part(exact) < dtype.smallest_normal + allowed)
        return compare_bounded(got, exact, allowed, flushed, dtype).wrong

    return over


def swapped(C: Array, axis: int, place: int) -> Array:
    order = np.arange(C.shape[axis])
    order[[place, place + 1]] = order[[place + 1, place]]
    return np.take(C, order, axis)
