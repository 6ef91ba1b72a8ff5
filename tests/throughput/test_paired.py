"""What rounds of two builds say: ratio, interval, chance, means."""

from __future__ import annotations

from math import exp, log, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_applegpu.throughput.abba import Round
from pytest_applegpu.throughput.paired import (
    BETWEEN,
    Paired,
    block_error,
    chance,
    log_ratio,
    paired,
    q_values,
    together,
)
from pytest_applegpu.throughput.slope import Unsound


def rounds(ratio: float, scatter: float = 0.02, count: int = 200, seed: int = 0) -> list[Round]:
    """Return rounds whose this side takes `ratio` times as long, each time scattered."""
    random = np.random.default_rng(seed)
    found = 1e-3 * np.exp(scatter * random.standard_normal((count, 4)))
    return [Round((ratio * a, ratio * d), (b, c)) for a, b, c, d in found.tolist()]


def sound(given_rounds: list[Round], between: float = BETWEEN) -> Paired:
    found = paired(2, given_rounds, between)
    assert isinstance(found, Paired)
    return found


@settings(max_examples=20)
@given(ratio=st.floats(0.5, 2), seed=st.integers(0, 10**6))
def test_the_ratio_lies_within_its_interval_and_is_near_the_truth(ratio: float, seed: int) -> None:
    found = sound(rounds(ratio, seed=seed))
    assert found.low < found.ratio < found.high
    # 0.02 a time is 0.02 a round's log ratio, and 0.0018 its median over 200 rounds.
    assert abs(log(found.ratio / ratio)) < 6 * 0.0018
    assert found.seconds == pytest.approx(0.5e-3 * ratio, rel=0.02)
    assert found.other_seconds == pytest.approx(0.5e-3, rel=0.02)


def test_a_linear_drift_leaves_the_ratio_alone() -> None:
    times = [1 + 0.001 * n for n in range(800)]
    drifting = [
        Round((times[n], times[n + 3]), (times[n + 1], times[n + 2])) for n in range(0, 800, 4)
    ]
    assert sound(drifting).ratio == pytest.approx(1, abs=1e-5)


def test_the_interval_holds_what_processes_differ_by() -> None:
    alone, apart = sound(rounds(1.0), 0.0), sound(rounds(1.0), 0.011)
    assert log(alone.high / alone.low) < 0.01
    assert log(apart.high / apart.low) > 2 * 1.96 * 0.011
    assert apart.error == pytest.approx(0.0111, rel=0.03)


def test_rounds_that_hang_together_widen_the_interval() -> None:
    random = np.random.default_rng(1)
    wandering = np.repeat(0.1 * random.standard_normal(100), 10)
    noise = 0.01 * random.standard_normal(1000)
    together_, shuffled = wandering + noise, random.permutation(wandering + noise)
    assert block_error(together_.tolist()) > 2 * block_error(shuffled.tolist())
    assert block_error([0.1] * 19) == 0.0


def test_the_chance_of_no_change() -> None:
    assert sound(rounds(1.1)).p_slower < 1e-12
    assert sound(rounds(1.1)).p_faster > 0.99
    assert sound(rounds(1 / 1.1)).p_faster < 1e-12
    assert sound(rounds(1.0)).p_slower > 0.2
    # 2 % are plain in the rounds; that two processes differ by as much is not so unlikely.
    assert 0.01 < sound(rounds(1.02)).p_slower < 0.1
    assert chance([0.0, 0.0], 0.01) == 1.0


def test_a_round_is_the_mean_of_logarithms() -> None:
    assert log_ratio(Round((2.0, 8.0), (1.0, 4.0))) == pytest.approx(log(2))


@pytest.mark.parametrize("wrong", [0.0, -1.0, nan, float("inf")])
def test_an_impossible_time_is_unsound(wrong: float) -> None:
    found = paired(1, [*rounds(1.0), Round((1e-3, wrong), (1e-3, 1e-3))])
    assert isinstance(found, Unsound)
    assert "the clock said" in found.reason


def test_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="say nothing"):
        paired(1, [])
    with pytest.raises(ValueError, match="no ratios"):
        together([])


def test_the_geometric_mean_and_its_interval() -> None:
    found = together([(2.0, 2 * exp(-0.2), 2 * exp(0.2)), (0.5, 0.5, 0.5)])
    assert found.ratio == pytest.approx(1)
    assert log(found.high) == pytest.approx(0.1)
    assert log(found.low) == pytest.approx(-0.1)
    assert found.cases == 2


def test_q_values_are_those_of_benjamini_and_hochberg() -> None:
    assert q_values([0.01, 0.04, 0.5]) == pytest.approx([0.03, 0.06, 0.5])
    assert q_values([]) == []
