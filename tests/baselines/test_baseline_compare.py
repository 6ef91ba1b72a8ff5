"""Comparisons name what keeps them from being made, and what has changed since."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from msgspec.structs import replace

from pytest_applegpu import words
from pytest_applegpu.baselines.compare import (
    Comparison,
    Frame,
    compare_speed,
    likely_causes,
)
from pytest_applegpu.baselines.store import Past, find
from pytest_applegpu.throughput.slope import Timing
from tests.baselines.samples import CASE, KEY, RUN, SPEED

FRAME = Frame("metal", timed=12)
KNOWN = replace(SPEED, runs=10, between=0.008)
PAST = Past(KNOWN, RUN, Path("baselines") / f"{KEY}.json")
NOW = replace(RUN, mlx="0.33.0", nax="yes", date=dt.date(2027, 1, 1))


def _timing(ratio: float) -> Timing:
    scale = ratio * SPEED.seconds
    return Timing(scale, 0.99 * scale, 1.01 * scale, 0.01, ratio * SPEED.best, 0.0, 4, (scale,))


def _compared(*ratios: float, unfit: tuple[str, ...] = ()) -> Comparison:
    taken = [_timing(ratio) for ratio in ratios]
    return compare_speed(taken, SPEED.method, NOW, PAST, unfit=unfit, frame=FRAME)


@pytest.mark.parametrize(("ratio", "word"), [(1.0, "same"), (0.5, "faster"), (3.0, "slower")])
def test_a_fit_machine(ratio: float, word: str) -> None:
    found = _compared(ratio)
    assert found.word == word
    assert found.verdict is not None
    assert found.verdict.ratio == pytest.approx(ratio)
    assert found.reasons == ()
    assert found.past is PAST


def test_no_baseline() -> None:
    found = compare_speed(
        [_timing(1.0)], SPEED.method, NOW, None, unfit=("on battery",), frame=FRAME
    )
    assert found == Comparison("no baseline", reasons=("on battery",))


def test_an_unfit_machine_is_not_comparable_with_its_reasons() -> None:
    found = _compared(3.0, unfit=("on battery", "thermal level serious"))
    assert found.word == "not comparable"
    assert found.reasons == ("on battery", "thermal level serious")
    assert found.verdict is None


def test_another_way_of_measuring_is_not_comparable() -> None:
    found = compare_speed([_timing(3.0)], "wall", NOW, PAST, unfit=("load 3.1",), frame=FRAME)
    assert found.word == "not comparable"
    assert found.reasons == ("load 3.1", "another way of measuring")


def test_changed_provenance_is_a_cause_and_never_a_reason() -> None:
    found = _compared(3.0)
    assert found.word == "slower"
    assert found.likely_causes == ("MLX 0.32.4 -> 0.33.0", "NAX no -> yes")


def test_every_cause_has_a_word() -> None:
    other = replace(
        RUN, mlx="1", wheel=None, os="macOS 27", nax="yes", tf32_measured="yes", arch="x"
    )
    assert likely_causes(RUN, other) == (
        "MLX 0.32.4 -> 1",
        "wheel macosx_26_0_arm64 -> unknown",
        "OS macOS 26.2 (25C56) -> macOS 27",
        "NAX no -> yes",
        "TF32 measured no -> yes",
        "architecture applegpu_g16s -> x",
    )
    assert likely_causes(RUN, RUN) == ()


def test_a_slowdown_seen_twice_is_confirmed() -> None:
    found = _compared(3.2, 3.0)
    assert found.word == "slower"
    assert found.verdict is not None
    assert found.verdict.confirmed
    assert words.outcome(found.word) == "failed"
    assert found.likely_causes


def test_a_slowdown_seen_once_is_not() -> None:
    found = _compared(3.0, 1.0)
    assert found.word == "same"
    assert found.verdict is not None
    assert found.verdict.reason.startswith("first 3.00x slower, then as fast")


def test_a_machine_that_became_unfit_leaves_the_case_not_comparable() -> None:
    found = _compared(3.0, 3.0, unfit=("thermal level serious",))
    assert found.word == "not comparable"


def test_the_backend_says_what_is_usual_where_one_run_is_stored() -> None:
    once = Past(SPEED, RUN, PAST.path)
    seen = {}
    for backend in ("cpu", "metal"):
        frame = Frame(backend, timed=12)
        found = compare_speed([_timing(1.0)], SPEED.method, NOW, once, frame=frame).verdict
        assert found is not None
        assert found.word == "unstable"
        seen[backend] = found.smallest_seen
    assert seen["metal"] < 1.5 < seen["cpu"]


def test_a_stored_file_feeds_a_comparison(stored: Path) -> None:
    past = find(KEY, [stored.parent]).speed(CASE)
    assert compare_speed([_timing(3.0)], SPEED.method, NOW, past, frame=FRAME).word == "slower"
