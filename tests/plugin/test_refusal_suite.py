"""Refusals in a run: passed where MLX refuses, red where it answers, known where that is known."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Suites

CPU = ("--applegpu-backend", "cpu")
REFUSED = "matmul-f32-nn-4x5x6 flaw=inner check=refusal tf32=on"
ACCEPTED = "segmented_mm-f32-nn-4x5x6 flaw=inner check=refusal tf32=on"
LATE = "quantized_matmul-f32-nt-4x8x64 flaw=group check=refusal tf32=on"


def test_a_smoke_run_has_the_refusals_of_an_operation_under_one_setting(suites: Suites) -> None:
    result = suites(*CPU, "--collect-only", "-q", "-k", "test_addmm_refusals")
    ids = [line for line in result.outlines if "test_addmm_refusals[" in line]
    assert len(ids) == 5
    assert all("tf32=on" in one for one in ids)


def test_what_is_refused_passes_and_says_when(suites: Suites, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    result = suites(
        *CPU, "--applegpu-report-log", str(log), *_cases(REFUSED, LATE), "-p", "no:cacheprovider"
    )
    result.assert_outcomes(passed=2)
    records = [json.loads(line) for line in log.read_text().splitlines()]
    found = {one["case"]: one for one in records if "case" in one}
    assert {one["verdict"] for one in found.values()} == {"refused"}
    assert found[REFUSED]["route"] is None
    assert found[LATE]["error"]["message"].startswith("refused when the result was evaluated")


def test_what_is_accepted_is_red_and_its_bundle_fails_by_itself(
    suites: Suites, tmp_path: Path
) -> None:
    words = ("--applegpu-known-issues", "none", "--applegpu-bundle", str(tmp_path))
    result = suites(*CPU, *words, *_cases(ACCEPTED))
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert "accepted (a result where an error is due)" in text
    assert "got a result of shape (4, 4, 5) in float32, expected an error" in text
    assert "repro.py alone: wrong: accepted, with a result of shape (4, 4, 5)" in text
    assert f"--applegpu-case '{ACCEPTED}'" in text


def test_a_known_acceptance_fails_no_run(suites: Suites) -> None:
    suites(*CPU, *_cases(ACCEPTED)).assert_outcomes(xfailed=1)


def _cases(*texts: str) -> tuple[str, ...]:
    return tuple(word for text in texts for word in ("--applegpu-case", text))
