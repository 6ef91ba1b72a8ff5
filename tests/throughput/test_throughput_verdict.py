"""Verdicts by rule: size, significance, every submission, and a second measurement."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pytest_applegpu import words
from pytest_applegpu.throughput.plan import rounds
from pytest_applegpu.throughput.slope import Timing, timing
from pytest_applegpu.throughput.verdict import (
    Rules,
    Stored,
    Verdict,
    change,
    compare,
    confirm,
    limit_for,
)

BEFORE = Stored(seconds=1e-3, low=0.99e-3, high=1.01e-3, spread=0.01, best=0.99e-3)


def _now(
    ratio: float, spread: float = 0.01, half: float = 0.01, best: float | None = None
) -> Timing:
    seconds = 1e-3 * ratio
    return Timing(
        seconds=seconds,
        low=seconds * (1 - half),
        high=seconds * (1 + half),
        spread=spread,
        best=0.99e-3 * (best or ratio),
        overhead_seconds=0.0,
        count=1,
        samples=(seconds,),
    )


@pytest.mark.parametrize(
    ("ratio", "word"),
    [
        (0.5, "faster"),
        (0.8, "faster"),
        (0.95, "same"),
        (1.0, "same"),
        (1.1, "same"),
        (1.3, "slower"),
        (3.0, "slower"),
    ],
)
def test_a_quiet_machine(ratio: float, word: str) -> None:
    found = compare(_now(ratio), BEFORE)
    assert found.word == word
    assert found.word in words.SPEED
    assert found.low < found.ratio < found.high
    assert found.ratio == pytest.approx(ratio)
    assert found.limit == pytest.approx(1.15)
    assert 1.15 <= found.smallest_seen < 1.3


def test_a_large_change_within_noise_is_unstable_and_says_what_could_be_seen() -> None:
    found = compare(_now(1.3, spread=0.25, half=0.1), BEFORE)
    assert found.word == "unstable"
    assert found.limit == pytest.approx(1.75)
    assert found.reason == (
        "1.30x slower, but spread 25 %: a slowdown under 1.75x could not have been seen"
    )


def test_a_machine_too_noisy_to_see_anything_is_unstable_even_at_the_same_speed() -> None:
    found = compare(_now(1.0, spread=0.38, half=0.3), BEFORE)
    assert found.word == "unstable"
    assert found.smallest_seen > 1.5
    assert found.reason.startswith("as fast, but spread 38 %: a slowdown under")


def test_three_times_slower_is_slower_through_a_quarter_of_spread() -> None:
    noisy = replace(BEFORE, spread=0.25, low=0.85e-3, high=1.2e-3)
    assert compare(_now(3.0, spread=0.25, half=0.2), noisy).word == "slower"


def test_a_fastest_submission_as_fast_as_before_clears_the_kernel() -> None:
    found = compare(_now(1.6, best=1.0), BEFORE)
    assert found.word == "unstable"
    assert found.reason == "1.60x slower, but the fastest submission as fast, spread 1 %"


def test_spread_between_runs_widens_the_limit_and_the_interval() -> None:
    apart = replace(BEFORE, between=0.2, runs=6)
    found = compare(_now(1.4), apart)
    assert found.word == "unstable"
    assert found.limit == pytest.approx(1.6)
    assert found.low < compare(_now(1.4), BEFORE).low


def test_many_agreeing_runs_narrow_the_interval() -> None:
    known = replace(BEFORE, between=0.01, runs=8)
    few = replace(BEFORE, between=0.01, runs=2)
    assert compare(_now(1.0), known).smallest_seen <= compare(_now(1.0), few).smallest_seen
    assert compare(_now(1.0), known).low > compare(_now(1.0), few).low


def test_the_limit_has_a_floor_and_a_cap() -> None:
    assert limit_for(0.0) == pytest.approx(1.15)
    assert limit_for(0.1) == pytest.approx(1.3)
    assert limit_for(5.0) == pytest.approx(2.0)
    assert limit_for(0.1, Rules(floor=1.05, spreads=1)) == pytest.approx(1.1)


def test_a_change_in_words() -> None:
    assert change(1.3) == "1.30x slower"
    assert change(0.5) == "2.00x faster"
    assert change(0.9999) == "as fast"


def test_a_suspicion_is_confirmed_by_a_second_slowdown_and_the_milder_one_stands() -> None:
    first, second = compare(_now(3.2), BEFORE), compare(_now(3.0), BEFORE)
    found = confirm(first, second)
    assert (found.word, found.confirmed, found.suspected) == ("slower", True, False)
    assert found.ratio == second.ratio
    assert found.reason == "first 3.20x slower, then 3.00x slower, limit 1.15x"


@pytest.mark.parametrize(
    ("again", "spread", "word"),
    [(1.02, 0.01, "same"), (1.6, 0.38, "unstable"), (0.5, 0.01, "unstable")],
)
def test_a_suspicion_that_does_not_return(again: float, spread: float, word: str) -> None:
    first = compare(_now(1.5), BEFORE)
    assert first.suspected
    found = confirm(first, compare(_now(again, spread=spread), BEFORE))
    assert found.word == word
    assert not found.suspected
    assert found.reason.startswith("first 1.50x slower, then")


def test_only_a_suspicion_is_measured_again() -> None:
    fine = compare(_now(1.0), BEFORE)
    with pytest.raises(ValueError, match="not 'same'"):
        confirm(fine, fine)


def test_a_stored_time_out_of_order_is_refused() -> None:
    with pytest.raises(ValueError, match="not a time within"):
        Stored(seconds=0.0, low=0.0, high=0.0, spread=0.0, best=0.0)


def _simulated(
    generator: np.random.Generator, operation: float, spread: float, pairs: int = 12
) -> Timing:
    """Time an operation on a machine whose submissions scatter by `spread` (log-normal)."""
    counts = rounds(10, pairs)
    noise = generator.lognormal(sigma=spread, size=len(counts))
    found = timing(counts, (np.array(counts) * operation * noise).tolist())
    assert isinstance(found, Timing)
    return found


def _verdicts(factor: float, spread: float, trials: int) -> list[Verdict]:
    generator = np.random.default_rng(7)
    found = []
    for _ in range(trials):
        before = _simulated(generator, 1e-3, spread)
        stored = Stored(before.seconds, before.low, before.high, before.spread, before.best)
        found.append(compare(_simulated(generator, factor * 1e-3, spread), stored))
    return found


@pytest.mark.parametrize("spread", [0.003, 0.02, 0.08])
def test_nothing_changed_is_never_slower(spread: float) -> None:
    assert not any(found.word == "slower" for found in _verdicts(1.0, spread, 400))


def test_three_times_slower_is_found_where_slopes_scatter_by_a_quarter() -> None:
    found = _verdicts(3.0, 0.11, 200)  # a slope scatters by sqrt(5) times a submission's spread
    assert np.mean([one.word == "slower" for one in found]) > 0.97


def test_a_third_slower_is_found_on_a_quiet_machine() -> None:
    assert all(found.word == "slower" for found in _verdicts(1.3, 0.01, 200))
