"""Whole processes drawn from what one H200 gave: nothing is red, a tenth is where it shows."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from importlib import util
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "between_runs.py"
RECORDED = Path(__file__).parent / "recorded_runs" / "h200.jsonl"
DRAWS = 60

QUIET = "matmul-f32-nn-2048x2048x2048 check=throughput tf32=off"
WILD = "matmul-f32-nn-2048x2048x2048 check=throughput tf32=on"
LARGE = (
    "matmul-bf16-nn-4096x4096x4096 check=throughput tf32=on",
    "matmul-f16-nt-2048x2048x2048 check=throughput tf32=on",
)


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    spec = util.spec_from_file_location("between_runs_script", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_nothing_changed_is_never_red_and_a_rule_on_minima_is(script: ModuleType) -> None:
    backend, processes = script.read(RECORDED)
    assert (backend, len(processes)) == ("cuda", 8)
    shares = script.judged(backend, processes, 1.0, DRAWS, 5)
    assert shares.red == 0
    assert shares.words[QUIET] == {"same": DRAWS}
    # Its times lie between 77 and 366 microseconds: nobody can say.
    assert shares.words[WILD] == {"unstable": DRAWS}
    assert shares.min_red > 0.8 * DRAWS


def test_a_tenth_is_red_where_it_can_be_seen(script: ModuleType) -> None:
    backend, processes = script.read(RECORDED)
    words = script.judged(backend, processes, 1.1, DRAWS, 5).words
    assert words[QUIET] == {"slower": DRAWS}
    assert all(words[case]["slower"] > 0.9 * DRAWS for case in LARGE)
    assert words[WILD] == {"unstable": DRAWS}


def test_twice_as_slow_is_red_for_all_that_lie_within_a_few_percent(script: ModuleType) -> None:
    backend, processes = script.read(RECORDED)
    words = script.judged(backend, processes, 2.0, DRAWS, 5).words
    assert sum(found["slower"] == DRAWS for found in words.values()) >= 4
    assert all(set(found) <= {"slower", "unstable"} for found in words.values())


def test_what_is_judged_is_never_a_part_of_the_baseline(script: ModuleType) -> None:
    _, processes = script.read(RECORDED)
    for seed in range(20):
        before, after = script.drawn(processes, 5, random.Random(seed))  # noqa: S311 - a repeatable draw
        assert len(before) == 5
        assert not any(one is other for one in before for other in after)


def test_what_is_kept_of_a_timing_can_be_read_back(script: ModuleType, tmp_path: Path) -> None:
    _, (first, *_) = script.read(RECORDED)
    facts = {case: script.kept(timed) for case, timed in first.items()}
    file = tmp_path / "runs.jsonl"
    file.write_text(json.dumps({"backend": "cuda", "times": facts}) + "\n", "utf-8")
    assert script.read(file) == ("cuda", [first])


def test_recording_goes_on_where_it_ended(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text('{"process": 0}\n{"proc', "utf-8")
    monkeypatch.setattr(script, "times", lambda *_: {})
    script.record(file, "cpu", 3, ())
    numbers = [json.loads(line)["process"] for line in file.read_text("utf-8").splitlines()]
    assert numbers == [0, 1, 2]


def test_shares_come_with_exact_intervals(script: ModuleType) -> None:
    # Clopper and Pearson: 1 - 0.025**(1/300).
    assert script.share(0, 300) == "0.00 % (0.00 % to 1.22 %)"
