"""Turns of two live workers: A B B A, begun by either side as often."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.throughput.abba import Round, beginners, read_round, rounds_within, turns


def test_a_round_is_a_b_b_a() -> None:
    assert list(turns(begins=True)) == [(True, 1), (False, 2), (True, 1)]
    assert list(turns(begins=False)) == [(False, 1), (True, 2), (False, 1)]


@given(rounds=st.integers(1, 500), seed=st.integers(0, 2**32))
def test_either_side_begins_half_of_the_rounds(rounds: int, seed: int) -> None:
    begun = beginners(rounds, np.random.default_rng(seed))
    assert len(begun) == rounds
    assert abs(2 * sum(begun) - rounds) <= 1
    assert begun == beginners(rounds, np.random.default_rng(seed))


def test_who_begins_is_drawn() -> None:
    drawn = {tuple(beginners(20, np.random.default_rng(seed))) for seed in range(10)}
    assert len(drawn) == 10


def test_times_are_read_by_who_began() -> None:
    assert read_round(True, (1.0, 2.0, 3.0, 4.0)) == Round((1.0, 4.0), (2.0, 3.0))
    assert read_round(False, (1.0, 2.0, 3.0, 4.0)) == Round((2.0, 3.0), (1.0, 4.0))


def test_rounds_fit_a_budget_and_keep_to_their_limits() -> None:
    assert rounds_within(0.01, 4.0, least=10, most=200) == 100
    assert rounds_within(1.0, 4.0, least=10, most=200) == 10
    assert rounds_within(1e-6, 4.0, least=10, most=200) == 200


@pytest.mark.parametrize(("seconds", "least", "most"), [(0.0, 1, 2), (1.0, 0, 2), (1.0, 3, 2)])
def test_no_rounds_are_refused(seconds: float, least: int, most: int) -> None:
    with pytest.raises(ValueError, match="rounds"):
        rounds_within(seconds, 1.0, least=least, most=most)
    with pytest.raises(ValueError, match="start at 1"):
        beginners(0, np.random.default_rng(0))
