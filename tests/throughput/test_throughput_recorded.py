"""Verdicts on samples that a real machine gave: quiet and loaded, and 1.3 and 3 times the work.

`record.py` made the files; each run is a process of its own.
"""

from __future__ import annotations

import json
from functools import cache
from itertools import permutations, product
from pathlib import Path

import pytest

from pytest_applegpu.throughput.apart import Stored, apart_on
from pytest_applegpu.throughput.slope import Timing, timing
from pytest_applegpu.throughput.verdict import MOST, Rules, Verdict, compare

RECORDED = Path(__file__).parent / "recorded"
SIZES = ("256", "512")
CPU = Rules(apart=apart_on("cpu"))


@cache
def _runs(name: str) -> list[Timing]:
    runs = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))["runs"]
    found = [timing(run["counts"], run["seconds"]) for run in runs]
    return [one for one in found if isinstance(one, Timing)]


def _stored(run: Timing) -> Stored:
    return Stored(run.seconds, run.low, run.high, run.spread, run.best, pairs=run.pairs)


def _against(before: str, now: str) -> list[Verdict]:
    pairs = permutations(_runs(now), 2) if before == now else product(_runs(before), _runs(now))
    return [compare([later], _stored(earlier), rules=CPU) for earlier, later in pairs]


def _ended(before: str, now: str) -> set[str]:
    """Conduct every first measurement with every other run of the file as the further ones."""
    words: set[str] = set()
    for earlier in _runs(before):
        for later in permutations([run for run in _runs(now) if run != earlier], 3):
            taken = [later[at % 3] for at in range(MOST)]
            found = (compare(taken[: n + 1], _stored(earlier), rules=CPU) for n in range(MOST))
            words.add(next(one for one in found if not one.suspected).word)
    return words


@pytest.mark.parametrize("path", sorted(RECORDED.glob("*.json")), ids=lambda path: path.stem)
def test_every_recording_is_sound_and_says_how_it_was_made(path: Path) -> None:
    recorded = json.loads(path.read_text(encoding="utf-8"))
    assert "record.py" in recorded["how"]
    assert recorded["machine"]
    assert len(_runs(path.stem)) == len(recorded["runs"]) >= 3


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("before", "now"), [("quiet", "quiet"), ("quiet", "loaded")])
def test_one_stored_run_says_too_little_for_same_and_nothing_is_red(
    size: str, before: str, now: str
) -> None:
    found = _against(f"{size}-{before}-base", f"{size}-{now}-base")
    assert {one.word for one in found} == {"unstable"}
    assert all("runs are taken to lie" in one.reason for one in found)
    assert _ended(f"{size}-{before}-base", f"{size}-{now}-base") == {"unstable"}


@pytest.mark.parametrize("size", SIZES)
def test_a_loaded_machine_is_never_red_for_its_load(size: str) -> None:
    assert _ended(f"{size}-loaded-base", f"{size}-loaded-base") <= {"same", "unstable"}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("before", ["quiet", "loaded"])
def test_a_third_more_work_against_one_stored_run_is_undecided(size: str, before: str) -> None:
    found = _against(f"{size}-{before}-base", f"{size}-loaded-1.3x")
    assert all(one.smallest_seen > 1.3 for one in found)
    assert _ended(f"{size}-{before}-base", f"{size}-loaded-1.3x") == {"unstable"}


@pytest.mark.parametrize("size", SIZES)
def test_three_times_the_work_is_seen(size: str) -> None:
    assert _ended(f"{size}-quiet-base", f"{size}-quiet-3x") == {"slower"}
    # Beside two busy processes against one stored run it is not, and the figure says so.
    assert _ended(f"{size}-quiet-base", f"{size}-loaded-3x") == {"unstable"}
    loaded = _against(f"{size}-quiet-base", f"{size}-loaded-3x")
    assert all(one.smallest_seen > 3 or one.suspected for one in loaded)


@pytest.mark.parametrize("size", SIZES)
def test_an_idle_machine_beats_a_loaded_baseline_without_being_faster(size: str) -> None:
    found = _against(f"{size}-loaded-base", f"{size}-quiet-base")
    assert {one.word for one in found} == {"unstable"}
    assert all(one.best_ratio == pytest.approx(1, abs=0.03) for one in found)
