"""Counts grow until they suffice; their order cancels drift."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.throughput.plan import next_count, pairs_within, piece_of, rounds


def test_a_submission_long_enough_is_kept() -> None:
    assert next_count(8, 0.05, 0.05, 100) is None


def test_the_next_count_aims_past_the_target() -> None:
    assert next_count(10, 0.02, 0.05, 1000) == 30  # 10 * 1.2 * 0.05 / 0.02


def test_one_step_grows_tenfold_at_most() -> None:
    assert next_count(3, 1e-9, 0.05, 10**6) == 30
    assert next_count(3, 0.0, 0.05, 10**6) == 30


def test_the_most_is_never_passed() -> None:
    assert next_count(60, 1e-6, 0.05, 100) == 100
    assert next_count(100, 1e-6, 0.05, 100) is None


@given(
    operation=st.floats(1e-9, 10),
    overhead=st.floats(0, 0.1),
    target=st.floats(1e-3, 1),
    most=st.integers(1, 10**6),
)
def test_growth_ends_with_enough_or_the_most(
    operation: float, overhead: float, target: float, most: int
) -> None:
    count, steps = 1, 0
    while (grown := next_count(count, overhead + count * operation, target, most)) is not None:
        assert count < grown <= most
        count, steps = grown, steps + 1
    assert overhead + count * operation >= target or count == most
    assert steps < 60


@pytest.mark.parametrize(
    ("count", "seconds", "target", "most"),
    [
        (0, 1.0, 1.0, 5),
        (1, 1.0, 1.0, 0),
        (1, -1.0, 1.0, 5),
        (1, float("nan"), 1.0, 5),
        (1, 1, 0, 5),
    ],
)
def test_nonsense_is_refused(count: int, seconds: float, target: float, most: int) -> None:
    with pytest.raises(ValueError, match=r"start at 1|no measurement"):
        next_count(count, seconds, target, most)


def test_pairs_fill_the_budget() -> None:
    assert pairs_within(0.125, 3.0) == 8
    assert pairs_within(0.125, 3.7) == 8
    assert pairs_within(10.0, 1.0) == 6
    assert pairs_within(1e-6, 1.0) == 40


def test_limits_of_pairs_are_even() -> None:
    with pytest.raises(ValueError, match="even"):
        pairs_within(0.1, 1.0, least=5)
    with pytest.raises(ValueError, match="cannot take 0"):
        pairs_within(0.0, 1.0)


def test_the_order_is_a_b_b_a() -> None:
    assert rounds(3, 4) == [3, 6, 6, 3, 3, 6, 6, 3]
    assert rounds(1, 1) == [1, 2]


def test_rounds_start_at_one() -> None:
    with pytest.raises(ValueError, match="both start at 1"):
        rounds(0, 4)
    with pytest.raises(ValueError, match="both start at 1"):
        rounds(4, 0)


def test_a_long_operation_is_a_piece_by_itself() -> None:
    assert piece_of(1.7e-3, 0.25e-3, 32) == 1


def test_short_operations_share_a_piece() -> None:
    assert piece_of(0.1e-3, 0.25e-3, 32) == 3
    assert piece_of(1e-6, 0.25e-3, 32) == 32
    assert piece_of(0.0, 0.25e-3, 32) == 32


@pytest.mark.parametrize(("piece_seconds", "most"), [(0.0, 32), (1e-3, 0)])
def test_a_piece_that_holds_nothing_is_refused(piece_seconds: float, most: int) -> None:
    with pytest.raises(ValueError, match="holds nothing"):
        piece_of(1e-3, piece_seconds, most)
