"""Verdicts on two builds: size, chance, one rate of false alarms, and a second measurement."""

from __future__ import annotations

import json
from itertools import permutations
from math import exp, log
from pathlib import Path

import pytest

from pytest_applegpu import words
from pytest_applegpu.throughput.abba import read_round
from pytest_applegpu.throughput.duel import Duel, confirm, judge, limit_of
from pytest_applegpu.throughput.lines import Lines, allowed
from pytest_applegpu.throughput.paired import Paired, paired

RECORDED = Path(__file__).parent / "recorded_rounds"
CASES = 12


def found(ratio: float, error: float = 0.012, chance: float = 1e-9) -> Paired:
    """Return a comparison whose interval fits `error`; `chance` is that of the side it leans to."""
    half = exp(1.96 * error)
    slower, faster = (chance, 1.0) if ratio > 1 else (1.0, chance)
    return Paired(
        ratio=ratio,
        low=ratio / half,
        high=ratio * half,
        error=error,
        spread=0.05,
        p_slower=slower,
        p_faster=faster,
        seconds=1e-3,
        other_seconds=1e-3 / ratio,
        count=2,
        rounds=200,
    )


@pytest.mark.parametrize(
    ("ratio", "word"),
    [
        *((0.5, "faster"), (0.96, "faster"), (0.98, "same"), (1.0, "same"), (1.02, "same")),
        *((1.029, "same"), (1.031, "slower"), (1.5, "slower")),
    ],
)
def test_a_quiet_machine(ratio: float, word: str) -> None:
    duel = judge(found(ratio), CASES)
    assert duel.word == word
    assert duel.word in words.SPEED
    assert duel.limit == pytest.approx(1.03)
    assert 1.05 < duel.smallest_seen < 1.06
    assert duel.suspected == (word != "same")


def test_the_limit_grows_with_scatter_and_with_the_number_of_cases() -> None:
    assert limit_of(found(1.0, 0.001), 1) == Lines().floor
    few, many = (limit_of(found(1.0, 0.03), timed) for timed in (1, 1000))
    # One case may be wrong one time in a hundred, each of two measurements one in ten: 1.2816.
    assert log(few) == pytest.approx(1.2816 * 0.03, rel=1e-3)
    assert few < many
    assert allowed(1) == pytest.approx(0.1)
    assert allowed(100) == pytest.approx(0.01)
    with pytest.raises(ValueError, match="start at 1"):
        allowed(0)


def test_what_could_not_have_been_seen_is_unstable_with_the_figure() -> None:
    duel = judge(found(1.0, 0.05), CASES)
    assert duel.word == "unstable"
    assert duel.smallest_seen > 1.1
    assert "spread 5.0 % over 200 rounds: a slowdown under 1.2" in duel.reason


def test_a_change_without_significance_is_unstable() -> None:
    duel = judge(found(1.05, chance=0.4), CASES)
    assert duel.word == "unstable"
    assert duel.reason.startswith("1.05x slower, limit 1.030x, but ")


def test_a_slowdown_is_confirmed_by_another_and_the_milder_stands() -> None:
    duel = confirm(judge(found(1.2, chance=1e-3), CASES), judge(found(1.1, chance=1e-4), CASES))
    assert (duel.word, duel.found.ratio) == ("slower", 1.1)
    assert duel.confirmed
    assert not duel.suspected
    assert duel.chance == pytest.approx(1e-6)
    assert duel.reason == "first 1.20x slower, then 1.10x slower, limit 1.030x"


@pytest.mark.parametrize(
    ("second", "word"),
    [(found(1.0), "same"), (found(0.8), "unstable"), (found(1.0, 0.05), "unstable")],
)
def test_a_slowdown_that_does_not_come_again_is_none(second: Paired, word: str) -> None:
    duel = confirm(judge(found(1.2), CASES), judge(second, CASES))
    assert duel.word == word
    assert not duel.suspected or duel.word != "slower"
    assert duel.reason.startswith("first 1.20x slower, then ")


def test_only_what_is_suspected_is_measured_again() -> None:
    with pytest.raises(ValueError, match="suspected change"):
        confirm(judge(found(1.0), CASES), judge(found(1.2), CASES))


def recorded(name: str) -> list[Duel]:
    """Judge what was recorded: quiet measurements, and some beside other work."""
    facts = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    assert "record_rounds.py" in facts["how"]
    judged = []
    for one in facts["measurements"]:
        taken = [
            read_round(bool(begins), (a * 1e-7, b * 1e-7, c * 1e-7, d * 1e-7))
            for begins, a, b, c, d in one["rounds"]
        ]
        assert len(taken) == 200
        comparison = paired(one["count"], taken)
        assert isinstance(comparison, Paired)
        judged.append(judge(comparison, CASES))
    return judged


def ends(duels: list[Duel]) -> list[Duel]:
    """Conduct every pair of measurements as a first one and the one that would follow it."""
    return [
        confirm(first, second) if first.suspected else first
        for first, second in permutations(duels, 2)
    ]


def test_recorded_and_unchanged_is_never_red() -> None:
    duels = recorded("same")
    assert len(duels) >= 10
    assert {duel.word for duel in ends(duels)} <= {"same", "unstable"}
    assert {duel.word for duel in duels if duel.found.spread < 0.1} == {"same"}
    noisy = [duel for duel in duels if duel.found.spread > 0.3]
    assert noisy
    assert all("could not have been seen" in duel.reason for duel in noisy)


def test_recorded_and_a_tenth_slower_is_red() -> None:
    duels = recorded("10-percent")
    assert {duel.word for duel in ends(duels)} == {"slower"}
    assert all(duel.confirmed for duel in ends(duels))
    quiet = [duel for duel in duels if duel.found.spread < 0.1]
    assert all(duel.found.ratio == pytest.approx(1.1, abs=0.02) for duel in quiet)


def test_recorded_and_a_twentieth_slower_is_red_where_it_can_be_seen() -> None:
    quiet = [duel for duel in recorded("5-percent") if duel.found.spread < 0.1]
    assert len(quiet) >= 3
    assert {duel.word for duel in ends(quiet)} == {"slower"}
    assert all(duel.found.ratio == pytest.approx(1.05, abs=0.01) for duel in quiet)
