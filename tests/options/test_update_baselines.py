"""`--applegpu-update-baselines`: store what this run measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import CASE, REAL, Suites

TIMED = "matmul-f32-nt-64x64x64 fill=normal check=throughput tf32=on"
CPU = ("--applegpu-backend", "cpu")


def stored(pytester: pytest.Pytester) -> dict[str, Any]:
    """Return the one stored file."""
    (path,) = (pytester.path / "baselines").glob("*.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_numbers_and_speed_are_stored_by_case_and_setting(
    suites: Suites, pytester: pytest.Pytester
) -> None:
    words = ("--applegpu-case", REAL, "--applegpu-case", TIMED, "--applegpu-update-baselines")
    result = suites(*CPU, *words)
    result.stdout.fnmatch_lines(["baseline written: *cpu-*.json: 2 changes"])
    found = stored(pytester)
    assert sorted(found["cases"]) == sorted([REAL, TIMED])
    assert found["cases"][REAL]["numbers"]["verdict"] == "within"
    assert found["cases"][TIMED]["speed"]["seconds"] > 0
    (run,) = found["runs"].values()
    assert run["mlx"]


def test_it_takes_no_value_so_a_path_may_follow(suites: Suites, pytester: pytest.Pytester) -> None:
    path = pytester.makepyfile("def test_own(): pass")
    result = suites(*CPU, "--applegpu-case", REAL, "--applegpu-update-baselines", str(path))
    result.assert_outcomes(passed=2)


def test_ini_twin(suites: Suites, pytester: pytest.Pytester, ini: Callable[..., None]) -> None:
    ini("applegpu_update_baselines = true")
    suites(*CPU, "--applegpu-case", REAL)
    assert list(stored(pytester)["cases"]) == [REAL]


def test_other_cases_stay(suites: Suites, pytester: pytest.Pytester) -> None:
    for case in (REAL, TIMED):
        suites(*CPU, "--applegpu-case", case, "--applegpu-update-baselines")
    assert sorted(stored(pytester)["cases"]) == sorted([REAL, TIMED])


def test_failures_are_not_stored(suites: Suites, pytester: pytest.Pytester) -> None:
    words = ("--applegpu-case", REAL, "--applegpu-update-baselines")
    result = suites(*CPU, *words, fault="last_row")
    result.stdout.fnmatch_lines(["baseline not changed, *: 1 over"])
    assert not (pytester.path / "baselines").exists()


def test_a_switch_of_the_user_forbids_it(
    suites: Suites, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = (*CPU, "--applegpu-case", REAL, "--applegpu-update-baselines")
    monkeypatch.setenv("MLX_BFS_MAX_WIDTH", "7")
    result = suites(*words)
    result.stdout.fnmatch_lines(
        [
            "set in the environment: MLX_BFS_MAX_WIDTH=7 (no baseline is written)",
            "baseline not written: MLX_BFS_MAX_WIDTH=7 is set*",
        ]
    )
    assert not (pytester.path / "baselines").exists()


def test_what_is_exact_has_no_figure_to_keep(suites: Suites, pytester: pytest.Pytester) -> None:
    result = suites(*CPU, "--applegpu-case", CASE, "--applegpu-update-baselines")
    said = "baseline not changed, as nothing of this run is to be stored: *: 1 exact, without*"
    result.stdout.fnmatch_lines([said])
    assert result.ret == pytest.ExitCode.OK
    assert not (pytester.path / "baselines").exists()


def test_an_update_does_not_advise_to_store_and_says_when_all_is_as_it_was(suites: Suites) -> None:
    words = (*CPU, "--applegpu-case", REAL, "--applegpu-update-baselines")
    first = suites(*words, "--applegpu-case", TIMED)
    first.stdout.fnmatch_lines(["baseline written: *"])
    first.stdout.no_fnmatch_line("*to store*")
    again = suites(*words)
    again.stdout.fnmatch_lines(["baseline not changed, *: 1 as stored already"])


def test_an_update_that_cannot_be_written_is_no_success(
    suites: Suites, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: object, text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pytest_applegpu.baselines.store._replace", full)
    result = suites(*CPU, "--applegpu-case", REAL, "--applegpu-update-baselines")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["baseline not written: *No space left on device"])
