"""Verdicts on samples that a real machine gave: quiet and loaded, and 1.3 and 3 times the work.

`record.py` made the files; each run is a process of its own.
"""

from __future__ import annotations

import json
from itertools import permutations, product
from pathlib import Path

import pytest

from pytest_applegpu.throughput.slope import Timing, timing
from pytest_applegpu.throughput.verdict import Stored, Verdict, compare, confirm

RECORDED = Path(__file__).parent / "recorded"
SIZES = ("256", "512")


def _runs(name: str) -> list[Timing]:
    runs = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))["runs"]
    found = [timing(run["counts"], run["seconds"]) for run in runs]
    return [one for one in found if isinstance(one, Timing)]


def _stored(run: Timing) -> Stored:
    return Stored(run.seconds, run.low, run.high, run.spread, run.best)


def _against(before: str, now: str) -> list[Verdict]:
    pairs = permutations(_runs(now), 2) if before == now else product(_runs(before), _runs(now))
    return [compare(later, _stored(earlier)) for earlier, later in pairs]


@pytest.mark.parametrize("path", sorted(RECORDED.glob("*.json")), ids=lambda path: path.stem)
def test_every_recording_is_sound_and_says_how_it_was_made(path: Path) -> None:
    recorded = json.loads(path.read_text(encoding="utf-8"))
    assert "record.py" in recorded["how"]
    assert recorded["machine"]
    assert len(_runs(path.stem)) == len(recorded["runs"]) >= 3


@pytest.mark.parametrize("size", SIZES)
def test_quiet_and_unchanged_is_the_same(size: str) -> None:
    assert {found.word for found in _against(f"{size}-quiet-base", f"{size}-quiet-base")} == {
        "same"
    }


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("work", ["1.3x", "3x"])
def test_quiet_and_more_work_is_slower_both_times(size: str, work: str) -> None:
    found = _against(f"{size}-quiet-base", f"{size}-quiet-{work}")
    assert all(one.suspected for one in found)
    assert all(one.ratio == pytest.approx(float(work[:-1]), rel=0.05) for one in found)
    assert confirm(found[0], found[1]).confirmed


@pytest.mark.parametrize("size", SIZES)
def test_a_loaded_machine_is_never_red_for_its_load(size: str) -> None:
    found = _against(f"{size}-quiet-base", f"{size}-loaded-base")
    found += _against(f"{size}-loaded-base", f"{size}-loaded-base")
    assert {one.word for one in found} <= {"same", "unstable"}
    assert sum(one.word == "unstable" for one in found) > 0.8 * len(found)
    assert all("spread" in one.reason for one in found if one.word == "unstable")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("before", ["quiet", "loaded"])
def test_a_third_more_work_under_load_is_undecided(size: str, before: str) -> None:
    found = _against(f"{size}-{before}-base", f"{size}-loaded-1.3x")
    assert {one.word for one in found} == {"unstable"}
    assert all(one.smallest_seen > 1.3 or one.best_ratio < one.limit for one in found)


@pytest.mark.parametrize("size", SIZES)
def test_three_times_the_work_shows_through_a_load(size: str) -> None:
    found = _against(f"{size}-quiet-base", f"{size}-loaded-3x")
    assert {one.word for one in found} == {"slower"}


@pytest.mark.parametrize("size", SIZES)
def test_an_idle_machine_beats_a_loaded_baseline_without_being_faster(size: str) -> None:
    found = _against(f"{size}-loaded-base", f"{size}-quiet-base")
    assert {one.word for one in found} == {"unstable"}
    assert all(one.best_ratio == pytest.approx(1, abs=0.03) for one in found)
