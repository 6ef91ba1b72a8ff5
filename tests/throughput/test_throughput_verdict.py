"""Verdicts by rule: size, significance, every submission, and further measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log

import numpy as np
import pytest

from pytest_applegpu import words
from pytest_applegpu.throughput.apart import Stored, apart_on
from pytest_applegpu.throughput.lines import Lines
from pytest_applegpu.throughput.slope import Timing
from pytest_applegpu.throughput.verdict import MOST, Rules, Verdict, compare

CASES = 12
BEFORE = Stored(
    seconds=1e-3,
    low=0.99e-3,
    high=1.01e-3,
    spread=0.01,
    best=0.99e-3,
    runs=10,
    between=0.008,
)


def _now(ratio: float, spread: float = 0.01, best: float | None = None) -> Timing:
    seconds = 1e-3 * ratio
    return Timing(
        seconds=seconds,
        low=seconds * (1 - spread / 2),
        high=seconds * (1 + spread / 2),
        spread=spread,
        best=0.99e-3 * (best or ratio),
        overhead_seconds=0.0,
        count=1,
        samples=(seconds,) * 16,
    )


def _judged(*ratios: float, before: Stored = BEFORE, spread: float = 0.01) -> Verdict:
    return compare([_now(ratio, spread) for ratio in ratios], before, CASES)


@pytest.mark.parametrize(
    ("ratio", "word"),
    [
        *((0.5, "faster"), (0.94, "faster"), (0.98, "same"), (1.0, "same"), (1.02, "same")),
        *((1.031, "slower"), (1.3, "slower"), (3.0, "slower")),
    ],
)
def test_a_quiet_machine(ratio: float, word: str) -> None:
    found = _judged(ratio)
    assert found.word == word
    assert found.word in words.SPEED
    assert found.low < found.ratio < found.high
    assert found.ratio == pytest.approx(ratio)
    assert 1.03 <= found.limit < found.smallest_seen < 1.06
    assert found.suspected == (word == "slower")
    assert not found.confirmed


def test_a_slowdown_is_found_by_two_measurements_and_the_milder_stands() -> None:
    found = _judged(1.2, 1.1)
    assert (found.word, found.confirmed, found.suspected) == ("slower", True, False)
    assert found.ratio == pytest.approx(1.1)
    assert found.measured == 2
    assert found.chance < 1e-6
    assert found.reason == f"first 1.20x slower, then 1.10x slower, limit {found.limit:.3f}x"


def test_one_slow_run_that_does_not_come_again_is_the_same() -> None:
    found = _judged(1.5, 1.0)
    assert (found.word, found.suspected) == ("same", False)
    assert found.reason.startswith("first 1.50x slower, then as fast, limit ")


def test_what_two_measurements_leave_open_five_decide_by_the_middle_one() -> None:
    noisy = replace(BEFORE, between=0.02)
    open_still = _judged(1.2, 1.06, before=noisy)
    assert open_still.ratio < open_still.limit
    for more in ((), (1.2,), (1.2, 1.2)):
        assert _judged(1.2, 1.06, *more, before=noisy).suspected
    assert _judged(1.2, 1.06, 1.2, 1.2, 1.2, before=noisy).confirmed
    left = _judged(1.2, 1.06, 1.2, 1.0, 1.06, before=noisy)
    assert (left.word, left.measured) == ("unstable", MOST)
    assert left.ratio == pytest.approx(1.06)
    assert _judged(3.0, 1.06, 1.0, before=noisy).word == "slower"
    assert _judged(3.0, 1.06, 1.0, 1.0, before=noisy).word == "unstable"


def test_an_opposite_second_measurement_leaves_it_undecided() -> None:
    found = _judged(1.5, 0.6)
    assert found.word == "unstable"
    assert found.reason.startswith("first 1.50x slower, then 1.67x faster, limit ")


def test_a_machine_too_noisy_to_see_a_tenth_is_unstable_with_the_figures() -> None:
    noisy = replace(BEFORE, between=0.03)
    found = _judged(1.0, before=noisy)
    assert found.word == "unstable"
    assert found.smallest_seen > 1.1
    assert found.reason == (
        f"as fast, limit {found.limit:.3f}x, but runs lie 3.0 % apart (10 stored runs), "
        f"spread within one 1.0 %: a slowdown under {found.smallest_seen:.3f}x could not "
        "have been seen"
    )


def test_a_spread_beyond_reason_says_nothing_and_breaks_nothing() -> None:
    found = _judged(3.0, before=replace(BEFORE, between=1e6))
    assert found.word == "unstable"
    assert found.limit > 1e40
    assert 0 < found.low < 1 < found.high


def test_twice_as_slow_is_red_where_a_tenth_cannot_be_seen() -> None:
    noisy = replace(BEFORE, between=0.1)
    assert _judged(1.1, before=noisy).word == "unstable"
    assert _judged(2.0, 2.0, before=noisy).confirmed


def test_a_run_noisier_than_usual_raises_the_limit() -> None:
    found = _judged(1.05, spread=0.25)
    assert found.word == "unstable"
    assert "spread within one 25.0 %" in found.reason


def test_a_fastest_submission_as_fast_as_before_clears_the_kernel() -> None:
    found = compare([_now(1.6, best=1.0)], BEFORE, CASES)
    assert found.word == "unstable"
    assert ", but the fastest submission as fast, but runs lie" in found.reason


def test_one_stored_run_is_judged_by_what_is_usual_on_the_backend() -> None:
    one = replace(BEFORE, runs=1, between=None)
    seen = {}
    for backend in ("cpu", "cuda"):
        found = compare([_now(1.0)], one, CASES, Rules(apart=apart_on(backend)))
        assert found.word == "unstable"
        seen[backend] = found.smallest_seen
    assert 1.2 < seen["cuda"] < 1.5 < seen["cpu"]
    said = compare([_now(1.0)], one, CASES, Rules(apart=apart_on("cuda"))).reason
    assert "runs are taken to lie 5.0 % apart (1 stored run)" in said


def test_the_limit_grows_with_the_cases_that_share_the_false_alarms() -> None:
    noisy = replace(BEFORE, between=0.02)
    few, many = (compare([_now(1.0)], noisy, timed) for timed in (1, 1000))
    assert few.limit < many.limit
    # Student's t of 9 degrees of freedom at 0.01 / 2 is 3.2498; one half and one tenth make the
    # variance of the milder of two and of ten stored runs.
    assert log(few.limit) == pytest.approx(3.2498 * 0.02 * 0.6**0.5, rel=1e-3)
    loose = compare([_now(1.0)], noisy, 1, Rules(Lines(alarms=0.1)))
    assert loose.limit < few.limit
    with pytest.raises(ValueError, match="start at 1"):
        compare([_now(1.0)], noisy, 0)


@pytest.mark.parametrize("count", [0, MOST + 1])
def test_no_more_than_a_few_measurements_are_judged(count: int) -> None:
    with pytest.raises(ValueError, match="one to 5 are judged"):
        compare([_now(1.0)] * count, BEFORE)


def _simulated(
    generator: np.random.Generator, operation: float, spread: float, between: float
) -> Timing:
    """Time an operation in a process: both it and its pairs scatter (log-normal)."""
    whole = operation * generator.lognormal(sigma=between)
    pairs = np.sort(whole * generator.lognormal(sigma=spread, size=16))
    return Timing(
        seconds=float(np.median(pairs)),
        low=float(pairs[3]),
        high=float(pairs[12]),
        spread=spread,
        best=float(pairs[0]),
        overhead_seconds=0.0,
        count=1,
        samples=tuple(pairs.tolist()),
    )


def _stored(runs: Sequence[Timing]) -> Stored:
    logs = np.log([one.seconds for one in runs])
    seconds = float(np.exp(logs.mean()))
    first = runs[0]
    return Stored(
        seconds=seconds,
        low=seconds * first.low / first.seconds,
        high=seconds * first.high / first.seconds,
        spread=float(np.mean([one.spread for one in runs])),
        best=float(np.exp(np.mean([log(one.best) for one in runs]))),
        runs=len(runs),
        between=float(logs.std(ddof=1)) if len(runs) > 1 else None,
        pairs=first.pairs,
    )


def _drawn(
    factor: float, between: float, trials: int, *, runs: int = 5, backend: str = "cpu"
) -> list[Verdict]:
    """Conduct a case again and again, each time against another baseline."""
    generator = np.random.default_rng(7)
    found = []
    for _ in range(trials):
        before = _stored([_simulated(generator, 1e-3, 0.02, between) for _ in range(runs)])
        taken = [_simulated(generator, factor * 1e-3, 0.02, between)]
        verdict = compare(taken, before, CASES, Rules(apart=apart_on(backend)))
        while verdict.suspected:
            taken.append(_simulated(generator, factor * 1e-3, 0.02, between))
            verdict = compare(taken, before, CASES, Rules(apart=apart_on(backend)))
        found.append(verdict)
    return found


@pytest.mark.parametrize(("between", "runs"), [(0.2, 1), (0.2, 5), (0.2, 20), (0.01, 5)])
def test_nothing_changed_is_red_no_oftener_than_the_share_of_a_case(
    between: float, runs: int
) -> None:
    drawn = _drawn(1.0, between, 1000, runs=runs)
    # 0.01 over 12 cases are 0.8 in 1000; more than 4 of them would come one time in 800.
    assert sum(one.word == "slower" for one in drawn) <= 4


def test_runs_a_fifth_apart_leave_a_tenth_undecided() -> None:
    drawn = _drawn(1.1, 0.2, 200)
    assert np.mean([one.word == "unstable" for one in drawn]) > 0.97
    assert np.median([one.smallest_seen for one in drawn]) > 2


@pytest.mark.parametrize(("runs", "share"), [(5, 0.8), (20, 0.96)])
def test_runs_a_fifth_apart_let_most_of_twice_as_slow_be_seen(runs: int, share: float) -> None:
    drawn = _drawn(2.0, 0.2, 200, runs=runs)
    assert np.mean([one.confirmed for one in drawn]) > share
    assert {one.word for one in drawn} == {"slower", "unstable"}


@pytest.mark.parametrize(("factor", "between"), [(1.1, 0.005), (2.0, 0.08), (3.0, 0.2)])
def test_what_is_large_beside_the_spread_is_red(factor: float, between: float) -> None:
    drawn = _drawn(factor, between, 100, runs=10, backend="cuda" if between < 0.1 else "cpu")
    assert np.mean([one.confirmed for one in drawn]) > 0.97
