"""`--applegpu-versus`: each case on two builds, numbers and speed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_applegpu.conduct.versus import environment
from pytest_applegpu.config import Config, read_config
from pytest_applegpu.options import Option
from pytest_applegpu.selftest.run import PLANTED
from tests.conftest import CASE, REAL, Suites

Logged = Callable[..., list[dict[str, Any]]]
Plant = Callable[[str, str], None]

VERSUS = ("--applegpu-backend", "cpu", "--applegpu-blame", "0", "--applegpu-versus")
SELF = (*VERSUS, sys.executable)
BATCH = "matmul-f32-nn-4x4x8-b3 fill=integer tf32=on"
TIMED = "matmul-f32-nt-64x64x64 check=throughput tf32=on"


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Plant a fault in the workers of one side."""

    def planted(fault: str, side: str) -> None:
        monkeypatch.setenv("PYTHONPATH", str(PLANTED))
        for name, value in (
            ("FAULT", fault),
            ("SIDE", side),
            ("PROGRAM", "serve.py"),
            ("LIBRARY", "mlx.core"),
        ):
            monkeypatch.setenv(f"APPLEGPU_SELFTEST_{name}", value)

    return planted


def test_the_same_interpreter_gives_the_same_bits_and_is_said_to_be_the_same(
    suites: Suites, logged: Logged
) -> None:
    words = (*SELF, "--applegpu-case", CASE, "--applegpu-case", REAL)
    records = logged(*words)
    assert [record["verdict"] for record in records] == ["exact", "within"]
    for record in records:
        numbers = record["versus"]["numbers"]
        assert (numbers["verdict"], numbers["change"]) == (record["verdict"], "alike")
        assert numbers["bits"] == {
            "identical": True,
            "differing": 0,
            "total": 272,
            "ulp": 0.0,
            "misfit": None,
        }
        assert record["versus"]["run"]["this"] == record["versus"]["run"]["other"]
    result = suites(*words)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            f"*this build: MLX *({sys.executable})",
            f"*the other build: MLX *({sys.executable})",
            "*both are one installation: *",
            "numbers of 2 cases: 2 bit-identical on both builds, 0 with other bits",
        ]
    )


def test_what_this_build_alone_gets_wrong_fails_and_is_broken(suites: Suites, plant: Plant) -> None:
    plant("last_batch", "this")
    result = suites(*SELF, "--applegpu-case", BATCH)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*other build: exact, * of 48 elements, up to * ULP differ",
            f"rerun: *--applegpu-versus {sys.executable}",
            "broken, right on the other build (1): *-b3*(other build: exact)*",
        ]
    )


def test_what_the_other_build_alone_gets_wrong_is_fixed_and_passes(
    suites: Suites, plant: Plant
) -> None:
    plant("last_batch", "other")
    result = suites(*SELF, "--applegpu-case", BATCH)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "other bits: *-b3*(* of 48 elements, *",
            "fixed, wrong on the other build alone (1): *(other build: over*",
        ]
    )


def test_another_build_that_crashes_leaves_this_one_right(logged: Logged, plant: Plant) -> None:
    plant("abort", "other")
    (record,) = logged(*SELF, "--applegpu-case", CASE)
    assert record["verdict"] == "exact"
    numbers = record["versus"]["numbers"]
    assert (numbers["verdict"], numbers["change"], numbers["bits"]) == ("crashed", "fixed", None)


def test_speed_is_a_ratio_with_its_interval_and_needs_no_baseline(logged: Logged) -> None:
    (record,) = logged(*SELF, "--applegpu-rounds", "6", "--applegpu-case", TIMED)
    speed = record["versus"]["speed"]
    assert record["baseline"] is None
    # How noisy this machine is just now decides which.
    assert record["verdict"] in {"same", "faster", "slower", "unstable"}
    assert speed["low"] < speed["ratio"] < speed["high"]
    assert speed["rounds"] in {6, 12, 18}
    assert record["versus"]["run"]["timed"] == 1


def test_four_times_slower_on_this_side_is_seen(logged: Logged, plant: Plant) -> None:
    plant("slower_by_300_percent:64x64x64", "this")
    words = (*SELF, "--applegpu-rounds", "20", "--applegpu-case", TIMED)
    (record,) = logged(*words)
    # How noisy this machine is just now decides between these two words, and never a third.
    assert record["verdict"] in {"slower", "unstable"}
    if record["verdict"] == "slower":
        assert record["versus"]["speed"]["ratio"] > 2
        assert record["versus"]["speed"]["confirmed"]
        assert "then" in record["versus"]["speed"]["reason"]


def test_a_case_that_the_other_build_cannot_run_is_not_comparable(
    logged: Logged, plant: Plant
) -> None:
    plant("exits", "other")
    odd = "matmul-f32-nt-64x64x65 check=throughput tf32=on"
    (record,) = logged(*SELF, "--applegpu-rounds", "6", "--applegpu-case", odd)
    assert record["verdict"] == "not comparable"
    assert record["error"]["message"].startswith("other build: crashed: ")


def test_a_card_is_held_against_the_other_builds(suites: Suites, plant: Plant) -> None:
    plant("truncated_result", "other")
    card = "matmul-f16-nt-64x64x512 check=card tf32=off"
    result = suites(*SELF, "--applegpu-case", card)
    result.stdout.fnmatch_lines(["another arithmetic: matmul-f16-nt-64x64x512*->*"])


def config(tmp_path: Path, **said: Any) -> Config:
    def lookup(option: Option) -> Any:
        return said.get(option.name.replace("-", "_"))

    return read_config(lookup, tmp_path, tmp_path)


def test_a_version_is_kept_as_pip_takes_it(tmp_path: Path) -> None:
    assert config(tmp_path, versus="mlx == 0.31.2").versus == "mlx==0.31.2"
    assert config(tmp_path, versus=sys.executable).versus == sys.executable
    assert config(tmp_path).versus is None


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"versus": "mlx==new"}, "'mlx==new' is not mlx==VERSION, as in mlx==0.31.2, or an"),
        ({"versus": "numpy==2.0"}, "'numpy==2.0' is not mlx==VERSION"),
        ({"versus": "/nonexistent"}, "--applegpu-versus: '/nonexistent' is not an interpreter"),
        ({"versus": "mlx==1", "backend": "emulated"}, "is not of use on an emulated device"),
        ({"versus": "mlx==1", "update_baselines": True}, "--applegpu-update-baselines"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, said: dict[str, Any], message: str) -> None:
    with pytest.raises(pytest.UsageError, match=message):
        config(tmp_path, **said)


def test_a_version_that_cannot_be_installed_is_told_in_pips_words(
    suites: Suites, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "ERROR: no such version\n")

    monkeypatch.setattr(environment.made, "__defaults__", (fail,))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    result = suites(*VERSUS, "mlx==99.9", "--applegpu-case", CASE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-versus: *venv*mlx-99.9-*ERROR: no such version*"])


def test_another_interpreter_without_mlx_is_named(suites: Suites, tmp_path: Path) -> None:
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\nexit 3\n")
    script.chmod(0o755)
    result = suites(*VERSUS, str(script), "--applegpu-case", CASE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*--applegpu-versus: *{script}*"])


def test_ini_twin(suites: Suites, ini: Callable[..., None]) -> None:
    ini(f"applegpu_versus = {sys.executable}")
    result = suites("--applegpu-backend", "cpu", "--applegpu-case", CASE)
    result.stdout.fnmatch_lines(["*the other build: MLX *"])
