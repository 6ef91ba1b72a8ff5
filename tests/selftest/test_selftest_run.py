"""The suite is run against a fault in processes of its own, and the first red case is read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_applegpu import cli
from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.selftest import run
from pytest_applegpu.selftest.faults import FAULTS, NONE
from pytest_applegpu.selftest.red import Red, read_log
from pytest_applegpu.selftest.run import Row, Suite, asked, environment
from pytest_applegpu.setting import FAULT_VARIABLE, Setting
from tests.conftest import Suites

EVEN = "matmul-f32-nn-4x4x4 fill=integer tf32=on"
ODD = "matmul-f32-nn-4x4x33 fill=integer tf32=on"


def cases(*texts: str) -> tuple[Case, ...]:
    """Return the cases that texts say."""
    return tuple(case for text in texts for case in parse_cases(text, [Setting()]))


def suite(backend: str, *texts: str, tier: tuple[str, ...] = ()) -> Suite:
    """Return a suite that plans the cases `texts`, and runs `tier` as if that were the tier."""
    words = [word for text in tier for word in ("--applegpu-case", text)]
    return Suite(backend, ("--applegpu-backend", backend, *words), "smoke", cases(*texts))


def test_a_fault_is_caught_by_a_case_that_tells_of_it() -> None:
    row = suite("cpu", EVEN, ODD).against(FAULTS["k_tail"])
    assert row.red == Red(ODD, "exact", "over", "as if the last element of K were dropped")
    assert (row.word, row.cases, row.trouble) == ("caught", 1, "")


def test_an_emulated_device_is_no_exception() -> None:
    row = suite("emulated", EVEN, ODD).against(FAULTS["exits"])
    assert row.red is not None
    assert (row.red.case, row.red.verdict) == (ODD, "crashed")
    assert "exit status 3" in row.red.said


def test_what_no_case_tells_of_is_missed_after_the_whole_tier() -> None:
    row = suite("cpu", EVEN, tier=(EVEN,)).against(FAULTS["k_tail"])
    assert (row.word, row.red, row.cases, row.trouble) == ("missed", None, 1, "")


def test_without_a_fault_it_is_green() -> None:
    row = suite("cpu", tier=(EVEN, ODD)).clean()
    assert (row.fault, row.word, row.cases) == (NONE, "green", 2)


def test_a_run_that_is_none_says_why() -> None:
    row = Suite("cpu", ("--applegpu-backend", "vulkan"), "smoke", ()).against(FAULTS["k_tail"])
    assert row.word == "missed"
    assert row.trouble.startswith("the run ended with status 4: ")
    assert "vulkan" in row.trouble


def test_no_baseline_is_written_under_a_fault(
    suites: Suites, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FAULT_VARIABLE, "last_row")
    case = EVEN.replace("integer", "normal")
    words = ("--applegpu-update-baselines", "--applegpu-backend", "cpu", "--applegpu-case", case)
    said = suites(*words)
    said.stdout.fnmatch_lines(
        [
            f"set in the environment: {FAULT_VARIABLE}=last_row (no baseline is written)",
            f"baseline not written: *{FAULT_VARIABLE}=last_row is set*",
        ]
    )
    assert not list(pytester.path.glob("baselines/*"))


def test_a_red_case_is_read_from_the_log(suites: Suites, pytester: pytest.Pytester) -> None:
    assert read_log(pytester.path / "log.jsonl") == (0, None)
    log = ("--applegpu-report-log", "log.jsonl", "--applegpu-backend", "cpu")
    suites(*log, "--applegpu-case", EVEN)
    assert read_log(pytester.path / "log.jsonl") == (1, None)


def test_the_environment_plants_in_workers_alone() -> None:
    inherited = {"PYTHONPATH": "here", "PYTEST_ADDOPTS": "-x", "HOME": "/home"}
    found = environment(inherited, "last_row", "emulated")
    assert found["PYTHONPATH"].split(os.pathsep) == [str(run.PLANTED), str(Path("here").absolute())]
    assert found[FAULT_VARIABLE] == "last_row"
    assert found["APPLEGPU_SELFTEST_PROGRAM"] == "serve.py"
    assert found["APPLEGPU_SELFTEST_LIBRARY"] == "pytest_applegpu.emulated.core"
    assert "PYTEST_ADDOPTS" not in found
    assert environment({}, "x", "cpu")["APPLEGPU_SELFTEST_LIBRARY"] == "mlx.core"


def test_workers_are_started_for_the_settings_of_the_cases_alone() -> None:
    assert asked(cases(EVEN)) == ("--applegpu-case", EVEN, "--applegpu-tf32", "on")
    both = asked(cases(EVEN, EVEN.replace("tf32=on", "tf32=off")))
    assert both[-2:] == ("--applegpu-tf32", "both")


def test_patience_is_short_where_nothing_comes_back() -> None:
    stages = suite("cpu", ODD)._stages(FAULTS["hang"])
    assert [stage[-2:] for stage in stages] == [("--applegpu-timeout", "3.0")] * 2
    assert suite("cpu", ODD)._stages(FAULTS["abort"])[1] == ("--applegpu-tier", "smoke")


@pytest.mark.parametrize(("red", "status"), [(Red(ODD, "exact", "over", ""), 0), (None, 1)])
def test_the_command_fails_where_a_fault_is_missed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], red: Any, status: int
) -> None:
    monkeypatch.setattr(Suite, "clean", lambda _: Row(NONE, NONE, "", 1, 1.0))
    monkeypatch.setattr(
        Suite, "against", lambda _, fault: Row(fault.name, fault.group, "", 1, 1.0, red)
    )
    words = ["selftest", "--backend", "cpu", "--tf32", "on", "--faults", "last_row,tf32_while_off"]
    assert cli.main(words) == status
    said = capsys.readouterr()
    assert ("caught" if red else "missed") in said.out
    assert "left out tf32_while_off: nothing is run with TF32 off" in said.err


def test_the_command_refuses_what_is_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["selftest", "--faults", "gremlins"]) == pytest.ExitCode.USAGE_ERROR
    assert "--faults: 'gremlins' is not all" in capsys.readouterr().err


def test_the_command_lists_faults(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["selftest", "--list", "--faults", "endings"]) == 0
    assert "Abort, where K is odd" in capsys.readouterr().out


def test_a_fault_that_cannot_be_planted_ends_the_worker() -> None:
    unknown = FAULTS["k_tail"]._replace(name="gremlins")
    row = suite("cpu", ODD).against(unknown)
    assert row.red is None
    assert row.trouble.startswith("the run ended with status 4: ")


PROGRAM = """\
import mlx.core as mx
print(mx.matmul(mx.ones((2, 3)), mx.ones((3, 2))).tolist())
"""


@pytest.mark.parametrize(("name", "last"), [("program.py", 0.0), ("other.py", 3.0)])
def test_another_program_can_be_named(tmp_path: Path, name: str, last: float) -> None:
    path = tmp_path / name
    path.write_text(PROGRAM)
    environ = environment(os.environ, "last_row", "cpu")
    environ["APPLEGPU_SELFTEST_PROGRAM"] = "program.py"
    done = subprocess.run(
        [sys.executable, str(path)], env=environ, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [[3.0, 3.0], [last, last]]
