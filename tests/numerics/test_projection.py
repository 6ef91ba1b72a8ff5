"""Does the projection find every wrong element, and nothing else?"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics import blockwise, projection
from pytest_applegpu.numerics.blockwise import left_times, times, times_checked
from pytest_applegpu.numerics.projection import project, prove_projection
from pytest_applegpu.numerics.rounding import Array
from tests.drawing import make
from tests.numerics.planted import batch_repeated, honest, without_tail

NAMES = list(DTYPES)
F32 = DTYPES["float32"]


def drawn(dtype: DType, a: tuple[int, ...], b: tuple[int, ...], seed: int = 0) -> tuple[Array, ...]:
    A, B = make("integer", dtype, a, b, dtype.significand, np.random.default_rng(seed))
    return A, B, honest(A, B, dtype)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blockwise, "_BLOCK", 100)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10, deadline=None)
@given(m=st.integers(1, 90), n=st.integers(1, 90), k=st.integers(1, 200), seed=st.integers(0, 999))
def test_right_products_are_exact(name: str, m: int, n: int, k: int, seed: int) -> None:
    A, B, C = drawn(DTYPES[name], (m, k), (k, n), seed)
    assert project(A, B, C, np.random.default_rng(seed)).verdict == "exact"


FAULTS: dict[str, Callable[[complex, DType], complex]] = {
    "one more": lambda value, _: value + 1,
    "the next number": lambda value, dtype: value * (1 + 2 * dtype.unit),
    "sign": lambda value, _: -value,
    "zero": lambda _, __: 0,
    "largest": lambda _, dtype: dtype.largest,
    "smallest": lambda _, dtype: dtype.smallest_normal,
    "NaN": lambda _, __: np.nan,
    "Inf": lambda _, __: np.inf,
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fault", FAULTS)
def test_any_single_wrong_element_is_found(name: str, fault: str) -> None:
    """25 places for each of 8 faults and 5 formats: 1000 planted."""
    dtype, rng = DTYPES[name], np.random.default_rng(7)
    A, B, C = drawn(dtype, (61, 130), (130, 47))
    for place in zip(rng.integers(0, 61, 25), rng.integers(0, 47, 25), strict=True):
        right = C[place]
        C[place] = FAULTS[fault](complex(right) if dtype.is_complex else float(right), dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            finding = project(A, B, C, rng)
        C[place] = right
        assert (finding.verdict, finding.wrong, finding.worst) == ("over", 1, place)
        assert finding.pattern == f"one element at ({place[0]}, {place[1]})"


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shapes", [((3, 9, 20), (3, 20, 8)), ((2, 1, 9, 20), (3, 20, 8))])
def test_batches_are_projected_one_by_one(
    name: str, shapes: tuple[tuple[int, ...], tuple[int, ...]]
) -> None:
    A, B, C = drawn(DTYPES[name], *shapes)
    rng = np.random.default_rng(1)
    assert project(A, B, C, rng).verdict == "exact"
    place = (*(size - 1 for size in C.shape[:-2]), 4, 2)
    C[place] = C[place] + 2
    finding = project(A, B, C, rng)
    assert (finding.verdict, finding.wrong, finding.worst) == ("over", 1, place)


def test_a_repeated_batch_is_found_in_full() -> None:
    A, B, _ = drawn(F32, (3, 20, 30), (3, 30, 20))
    finding = project(A, B, batch_repeated(A, B, F32), np.random.default_rng(0))
    assert finding.pattern == "batch 1 only"
    assert finding.wrong == 400


def test_many_wrong_rows_are_told_from_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projection, "_MOST_PRODUCTS", 0)
    A, B, _ = drawn(F32, (64, 40), (40, 20))
    finding = project(A, B, without_tail(1)(A, B, F32), np.random.default_rng(0))
    assert finding.pattern == "every element"
    assert finding.wrong == finding.total == 64 * 20
    assert finding.detail == "56 more rows disagree and were not recomputed"


def test_operands_that_are_not_integers_prove_nothing() -> None:
    A, B = make("normal", F32, (20, 20), (20, 20), 24, np.random.default_rng(0))
    assert prove_projection(A, B, np.random.default_rng(0)) == "the operands are not integers"
    finding = project(A, B, honest(A, B, F32), np.random.default_rng(0))
    assert finding.verdict == "over"


def test_integers_that_float64_cannot_sum_prove_nothing() -> None:
    A = np.full((8, 9), 2.0**40) + np.arange(8)[:, None]
    B = np.full((9, 8), 2.0**12) + np.arange(8)
    finding = project(A, B, A @ B, np.random.default_rng(0))
    assert finding.verdict in {"no proof", "over"}
    assert not finding.passed


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda A, _: A.__setitem__(np.s_[:, -1], 0), "dropping the last element of K"),
        (lambda _, B: B.__setitem__(np.s_[-1], 0), "dropping the last element of K"),
        (lambda A, _: A.__setitem__(np.s_[:], A[0]), "swapping two rows"),
        (lambda _, B: B.__setitem__(np.s_[:], B[:, :1]), "swapping two columns"),
    ],
)
def test_data_that_could_not_fail_prove_nothing(
    spoil: Callable[[Array, Array], None], says: str
) -> None:
    A, B, _ = drawn(F32, (30, 20), (20, 30))
    spoil(A, B)
    finding = project(A, B, honest(A, B, F32), np.random.default_rng(0))
    assert finding.verdict == "no proof"
    assert finding.detail == f"{says} would not be seen"


def test_zeros_prove_nothing_about_a_zeroed_element() -> None:
    """Every other row of A and column of B is zero, and so are three quarters of the result."""
    A, B = np.zeros((40, 2), np.float32), np.zeros((2, 30), np.float32)
    A[::2], B[:, ::2] = 3, 5
    said = prove_projection(A, B, np.random.default_rng(0))
    assert said == "setting one element to zero would not be seen"


@pytest.mark.parametrize("shape", [(0, 4, 3), (4, 4, 0)])
def test_empty_products_are_right(shape: tuple[int, int, int]) -> None:
    m, k, n = shape
    A, B = np.ones((m, k), np.float32), np.ones((k, n), np.float32)
    assert project(A, B, A @ B, np.random.default_rng(0)).verdict == "exact"


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", NAMES)
def test_blocks_of_rows_give_the_whole_product(name: str) -> None:
    A, _, C = drawn(DTYPES[name], (33, 12), (12, 21))
    v, w = np.arange(12.0), np.arange(660.0).reshape(20, 33)
    np.testing.assert_array_equal(times(A, v), A.astype(np.complex128) @ v)
    for rows in (w[:3], w):
        np.testing.assert_array_equal(left_times(rows, A), rows @ A.astype(np.complex128))
    C[4, 5] = 0.5
    fractional = times_checked(C, np.ones(21))[1]
    np.testing.assert_array_equal(np.flatnonzero(fractional), [4])
