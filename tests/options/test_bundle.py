"""`--applegpu-bundle`: a folder for each failure, with a program that fails by itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_applegpu.bundle.folder import slug
from pytest_applegpu.config import read_config
from pytest_applegpu.options import Option
from pytest_applegpu.selftest.run import environment
from tests.conftest import CASE, Suites

CASES = (
    "matmul-f32-nt-5x4x7 a=pad:3 fill=normal tf32=on",
    "matmul-f16-nn-5x4x7-b2 a=bc b=rows:2 fill=integer tf32=off",
    "matmul-bf16-tn-5x4x7-b2x3 a=heads b=axis fill=normal tf32=on",
    "matmul-c64-nn-5x4x7 a=off:3 b=neg fill=special tf32=on",
    "matmul-f64-nt-5x4x7 b=step via=operator fill=normal tf32=on",
    "matmul-f32-nn-1x1x7 a=vec b=vec fill=normal check=repeat tf32=on",
    "matmul-f32-nn-30x40x50 fill=cancel check=projection tf32=on",
)
OTHER = "matmul-f32-nn-3x3x3 fill=integer tf32=on"

ONE = ("--applegpu-backend", "cpu", "--applegpu-blame", "0", "--applegpu-bundle", "out")

Planted = Callable[..., pytest.RunResult]


@pytest.fixture
def planted(suites: Suites, monkeypatch: pytest.MonkeyPatch) -> Planted:
    """Run cases with a fault in front of MLX, in workers and in programs of bundles."""

    def run(fault: str, *cases: str, more: tuple[str, ...] = ()) -> pytest.RunResult:
        for name, said in environment(os.environ, fault, "cpu").items():
            monkeypatch.setenv(name, said)
        monkeypatch.setenv("APPLEGPU_SELFTEST_PROGRAM", ".py")
        asked = [word for case in cases for word in ("--applegpu-case", case)]
        return suites(*ONE, *more, *asked, apart=True)

    return run


def facts(folder: Path, case: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "out" / slug(case) / "facts.json").read_text())
    return found


def alone(folder: Path, case: str) -> int:
    """Return the status of a bundle's program without any fault."""
    program = folder / "out" / slug(case) / "repro.py"
    return subprocess.run([sys.executable, str(program)], check=False, env={}).returncode


def test_programs_fail_outside_and_are_right_without_the_fault(
    planted: Planted, pytester: pytest.Pytester
) -> None:
    result = planted("doubled", *CASES)
    result.assert_outcomes(failed=len(CASES))
    found = {case: facts(pytester.path, case) for case in CASES}
    assert {case: said["program"]["status"] for case, said in found.items()} == dict.fromkeys(
        CASES, 1
    )
    assert {case: said["record"]["case"] for case, said in found.items()} == {
        case: case for case in CASES
    }
    assert [case for case in CASES if alone(pytester.path, case) != 0] == []


def test_the_failure_says_where_the_bundle_is_and_what_became_of_its_program(
    planted: Planted, pytester: pytest.Pytester
) -> None:
    theirs = pytester.path / "out" / slug(OTHER)
    theirs.mkdir(parents=True)
    (theirs / "repro.py").write_text("mine")
    result = planted("first_element", CASE, OTHER, more=("--applegpu-shrink",))
    result.stdout.fnmatch_lines_random(
        [
            f"bundle: out/{slug(CASE)} (repro.py alone: wrong: 1 of 1 elements, worst *)",
            f"bundle: not written: *{slug(OTHER)}' exists and holds no bundle of*",
        ]
    )
    assert (theirs / "repro.py").read_text() == "mine"
    held = {one.name for one in (pytester.path / "out" / slug(CASE)).iterdir()}
    assert held == {"repro.py", "facts.json", "map.svg"}
    found = facts(pytester.path, CASE)
    assert found["device"]["backend"] == "cpu"
    assert found["program"]["environment"] == {"MLX_ENABLE_TF32": "1"}
    # The program is of the smallest case that fails.
    assert found["program"]["case"] == found["record"]["error"]["shrunk"]["case"] != CASE


def test_a_crash(planted: Planted, pytester: pytest.Pytester) -> None:
    result = planted("abort", CASE)
    result.stdout.fnmatch_lines(["bundle: out/* (repro.py alone: it ended with SIGABRT)"])
    assert facts(pytester.path, CASE)["program"]["status"] == -signal.SIGABRT


def test_nothing_is_written_of_what_is_right(suites: Suites, pytester: pytest.Pytester) -> None:
    suites(*ONE, "--applegpu-case", CASE).assert_outcomes(passed=1)
    assert not (pytester.path / "out").exists()


def lookup(**said: str) -> Callable[[Option], str | None]:
    return lambda option: said.get(option.name)


def test_relative_to_where_pytest_was_started(tmp_path: Path) -> None:
    found = read_config(lookup(bundle="a/b"), Path("/"), tmp_path)
    assert found.bundle == tmp_path / "a" / "b"
    assert read_config(lookup(), Path("/"), tmp_path).bundle is None


def test_a_file_in_the_way_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for said in ("file", "file/under"):
        with pytest.raises(pytest.UsageError, match=r"--applegpu-bundle: .* is not a folder that"):
            read_config(lookup(bundle=said), Path("/"), tmp_path)


def test_so_is_an_emulated_device(suites: Suites, ini: Callable[..., None]) -> None:
    ini("applegpu_bundle = out")
    result = suites("--applegpu-backend", "emulated")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*applegpu_bundle in tox.ini: 'out' is not of use on an emulat*"])
