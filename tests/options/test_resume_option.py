"""`--applegpu-resume`: a versus run that was killed goes on, and repeats nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import CASE, REAL, Suites

Logged = Callable[..., list[dict[str, Any]]]

TIMED = "matmul-f32-nt-64x64x64 check=throughput tf32=on"
WORDS = (
    *("--applegpu-backend", "cpu", "--applegpu-versus", sys.executable),
    *("--applegpu-rounds", "6", "--applegpu-case", CASE, "--applegpu-case", REAL),
    *("--applegpu-case", TIMED),
)
RESUME = ("--applegpu-resume", "log.jsonl")


@pytest.mark.parametrize("torn", [False, True])
def test_nothing_is_repeated_and_the_log_goes_on(
    suites: Suites, logged: Logged, pytester: pytest.Pytester, torn: bool
) -> None:
    log = pytester.path / "log.jsonl"
    before = logged(*WORDS)
    assert len(before) == 3
    lines = log.read_bytes().splitlines(keepends=True)
    # As a run that was killed leaves it; what was found first stands, though it was not so.
    first = json.loads(lines[0])
    first["error"] = {**(first["error"] or {}), "cause": "kept as it was"}
    lines[0] = json.dumps(first, separators=(",", ":")).encode() + b"\n"
    log.write_bytes(lines[0] + lines[1] + (lines[2][:100] if torn else b""))
    result = suites(*WORDS, *RESUME)
    # The one that is run again has the verdict of now: noise may make it another word.
    outcomes = result.parseoutcomes()
    assert outcomes["passed"] + outcomes.get("failed", 0) == 3
    more = "; its last line was cut off*" if torn else ""
    result.stdout.fnmatch_lines([f"*resumed from *log.jsonl: 2 cases are not run again{more}"])
    after = log.read_bytes().splitlines(keepends=True)
    assert after[:2] == lines[:2]
    assert [json.loads(line)["case"] for line in after] == [one["case"] for one in before]


def test_a_test_ends_as_the_log_says(
    suites: Suites, logged: Logged, pytester: pytest.Pytester
) -> None:
    log = pytester.path / "log.jsonl"
    words = (*WORDS[:-2], "--applegpu-blame", "0")
    logged(*words)
    wrong = [json.loads(line) for line in log.read_text().splitlines()]
    wrong[0] |= {"verdict": "over", "error": {**wrong[1]["error"], "cause": "told before"}}
    log.write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in wrong))
    result = suites(*words, *RESUME)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["cause: told before", "rerun: *"])
    assert [json.loads(line) for line in log.read_text().splitlines()] == wrong


def test_a_log_of_its_own_gets_all_records(
    suites: Suites, logged: Logged, pytester: pytest.Pytester
) -> None:
    before = logged(*WORDS[:-2])
    old = (pytester.path / "log.jsonl").read_bytes()
    suites(*WORDS[:-2], *RESUME, "--applegpu-report-log", "new.jsonl")
    assert (pytester.path / "log.jsonl").read_bytes() == old
    new = (pytester.path / "new.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in new] == before


def test_another_seed_is_refused(suites: Suites, logged: Logged, pytester: pytest.Pytester) -> None:
    logged(*WORDS[:-2])
    old = (pytester.path / "log.jsonl").read_bytes()
    result = suites(*WORDS[:-2], *RESUME, "--applegpu-seed", "3")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-resume: * another run: seed was 0, and is 3"])
    assert (pytester.path / "log.jsonl").read_bytes() == old


def test_without_a_log_or_another_build_it_is_refused(suites: Suites) -> None:
    for words, said in (
        (WORDS[:-2], "'log.jsonl' is not a report log that is there"),
        (WORDS[4:6], "'log.jsonl' is not of use without --applegpu-versus"),
    ):
        result = suites(*words, *RESUME)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"*--applegpu-resume: {said}*"])


def test_processes_of_a_parallel_run_share_the_log(
    suites: Suites, logged: Logged, pytester: pytest.Pytester
) -> None:
    pytest.importorskip("xdist")
    log = pytester.path / "log.jsonl"
    words = WORDS[:-2]
    logged(*words)
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(lines[0] + lines[1][:50])
    result = suites(*words, *RESUME, "-n", "2", apart=True)
    result.assert_outcomes(passed=2)
    after = log.read_bytes().splitlines(keepends=True)
    assert after[0] == lines[0]
    assert len(after) == 2
    assert json.loads(after[1])["case"] == json.loads(lines[1])["case"]
