"""What comes of a run: a search that found nothing says so, and a log that breaks is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_applegpu.conduct.outcome import Outcome
from pytest_applegpu.config import read_config
from pytest_applegpu.report.records import ProblemFacts, Record, SettingFacts, as_builtins
from pytest_applegpu.report.rerun import Rerun


def outcome(**said: str) -> Outcome:
    words = {name.replace("_", "-"): value for name, value in said.items()}
    config = read_config(lambda option: words.get(option.name), Path("/"), Path("/"))
    return Outcome(config, Rerun(), None)


def record(verdict: str) -> Record:
    return Record(
        case="matmul-f32-nn-2x3x4 fill=integer tf32=off",
        kind="exact",
        problem=ProblemFacts(op="matmul", dtype="float32", m=2, n=3, k=4),
        setting=SettingFacts(tf32="off"),
        verdict=verdict,
    )


@pytest.mark.parametrize(
    ("verdict", "said", "unsaid"),
    [("exact", "no findings, cases run: 1", "1 finding"), ("over", "1 finding in", "no findings")],
)
def test_a_search_says_what_it_found_and_that_it_found_nothing(
    verdict: str, said: str, unsaid: str
) -> None:
    searched = outcome(search="5", seed="7")
    searched.receive(as_builtins(record(verdict)))
    assert said in searched.summary()
    assert unsaid not in searched.summary()
    assert ("another --applegpu-seed than 7" in searched.summary()) == (verdict == "exact")


def test_without_a_search_or_a_case_nothing_is_said_of_findings() -> None:
    plain = outcome()
    plain.receive(as_builtins(record("over")))
    assert "finding" not in plain.summary()
    assert "finding" not in outcome(search="5").summary()


def test_a_log_that_cannot_be_written_is_told_and_costs_no_record(tmp_path: Path) -> None:
    broken = outcome(report_log=str(tmp_path / "missing" / "log.jsonl"))
    for _ in range(2):
        broken.receive(as_builtins(record("exact")))
    assert len(broken.records) == 2
    assert broken.summary().count("the report log ends here") == 1
    broken.close()


def test_machines_of_different_keys_forbid_a_baseline() -> None:
    mixed = outcome()
    for key in ("one", "two"):
        mixed.learn({"key": key, "forbidden": [], "lines": [f"lines of {key}"]})
    mixed.receive(as_builtins(record("exact")))
    mixed.store(None)
    assert mixed.failed
    assert "machines one and two ran together" in mixed.summary()
    assert "lines of one" in mixed.summary()
    assert "lines of two" not in mixed.summary()
