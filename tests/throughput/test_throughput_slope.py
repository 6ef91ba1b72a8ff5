"""An operation's time is the slope; the overhead is what is left; noise never makes it negative."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.throughput.plan import rounds
from pytest_applegpu.throughput.slope import Timing, Unsound, timing


def _wall(counts: list[int], operation: float, overhead: float, drift: float = 0.0) -> list[float]:
    return [
        overhead + count * operation + place * drift * operation
        for place, count in enumerate(counts)
    ]


@given(st.floats(1e-7, 1), st.floats(0, 1e-2), st.integers(1, 50), st.integers(1, 12))
def test_operation_and_overhead_are_told_apart(
    operation: float, overhead: float, n: int, pairs: int
) -> None:
    counts = rounds(n, pairs)
    found = timing(counts, _wall(counts, operation, overhead))
    assert isinstance(found, Timing)
    assert found.seconds == pytest.approx(operation, rel=1e-6)
    assert found.overhead_seconds == pytest.approx(overhead, rel=1e-6, abs=1e-6 * n * operation)
    assert found.best == pytest.approx(operation + overhead / (2 * n), rel=1e-6)
    assert (found.count, found.pairs, found.dropped) == (n, pairs, 0)


def test_a_steady_drift_cancels() -> None:
    counts = rounds(4, 8)
    found = timing(counts, _wall(counts, 1e-3, 1e-4, drift=0.2))
    assert isinstance(found, Timing)
    assert found.seconds == pytest.approx(1e-3)
    assert found.low < found.seconds < found.high


def test_a_few_pairs_lost_in_noise_are_dropped_and_counted() -> None:
    counts = rounds(2, 12)
    seconds = _wall(counts, 1e-3, 0.0)
    seconds[0] = 1.0  # a short submission that was interrupted: a slope far below zero
    found = timing(counts, seconds)
    assert isinstance(found, Timing)
    assert (found.pairs, found.dropped, len(found.samples)) == (12, 1, 11)
    assert min(found.samples) > 0
    assert found.seconds == pytest.approx(1e-3)


def test_an_operation_hidden_by_noise_is_unsound() -> None:
    counts = rounds(4, 8)
    found = timing(counts, [1e-3] * len(counts))  # as when nothing was evaluated
    assert isinstance(found, Unsound)
    assert found.reason == "in 8 of 8 pairs 8 operations took no longer than 4"


@pytest.mark.parametrize("wrong", [0.0, -1e-9, float("nan"), float("inf")])
def test_a_clock_that_lies_is_unsound(wrong: float) -> None:
    found = timing([1, 2], [wrong, 1.0])
    assert found == Unsound(f"the clock said {wrong} s for a submission")


@given(
    st.integers(1, 8).flatmap(
        lambda pairs: st.lists(st.floats(1e-9, 1e3), min_size=2 * pairs, max_size=2 * pairs)
    )
)
def test_no_noise_makes_a_time_negative(seconds: list[float]) -> None:
    found = timing(rounds(3, len(seconds) // 2), seconds)
    if isinstance(found, Timing):
        assert 0 < found.low <= found.seconds <= found.high
        assert found.overhead_seconds >= 0
        assert all(sample > 0 for sample in found.samples)


@pytest.mark.parametrize(
    ("counts", "seconds"),
    [([], []), ([1], [1.0]), ([1, 2], [1.0]), ([1, 3], [1.0, 1.0]), ([1, 2, 2, 4], [1.0] * 4)],
)
def test_other_counts_are_refused(counts: list[int], seconds: list[float]) -> None:
    with pytest.raises(ValueError, match="need pairs of n and 2n"):
        timing(counts, seconds)


def test_an_interval_out_of_order_is_no_timing() -> None:
    with pytest.raises(ValueError, match="not a time within"):
        Timing(1.0, 2.0, 3.0, 0.0, 1.0, 0.0, 1, (1.0,))
