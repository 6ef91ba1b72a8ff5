"""A run on an emulated device: labelled everywhere, judged like any other, kept nowhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pytest_applegpu.cases.speed import speed_cases
from pytest_applegpu.cli import main
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.setting import Setting
from tests.conftest import Suites

Logged = Callable[..., list[dict[str, Any]]]

M5 = ("--applegpu-backend", "emulated", "--applegpu-arch", "applegpu_g17s")
COARSE = 1e-5
"""Relative error that operands cut to 11 bits are above, and whole ones below."""

SQUARE = "matmul-f32-nt-64x65x66 fill=normal"
TALL = "matmul-f16-nn-33x34x4096 fill=cancel"


def asked(*cases: str) -> list[str]:
    """Return the words that ask for `cases`."""
    return [word for case in cases for word in ("--applegpu-case", case)]


def test_header_and_summary_say_that_it_is_emulated(suites: Suites) -> None:
    result = suites(*M5, "--applegpu-mlx", "0.32.1", *asked(SQUARE, TALL))
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        [
            "applegpu: emulated, emulated applegpu_g17s, applegpu_g17s (Apple10), *",
            "emulated: applegpu_g17s, MLX 0.32.1's dispatch, NumPy arithmetic: *not run on a Mac",
            "*MLX 0.32.1 (emulated)",
            "NAX: yes: emulated, generation 17, letter s, MLX 0.32.1",
            "no baseline key: emulated results never become a baseline",
            "*tf32=on arch=applegpu_g17s measured: TF32-class (11 bits, truncated)*",
            "emulated: applegpu_g17s with MLX 0.32.1: not a GPU, not run on a Mac",
        ]
    )


def test_every_record_says_so_too(logged: Logged) -> None:
    on, off = logged(*M5, *asked(SQUARE))
    for record in (on, off):
        assert (record["backend"], record["device"]) == ("emulated", "emulated applegpu_g17s")
        assert record["route"]["here"]
    assert "nax" in on["route"]["path"]
    assert on["error"]["frobenius"] > COARSE > off["error"]["frobenius"]


def test_architectures_and_nax_are_settings(logged: Logged) -> None:
    words = ("--applegpu-backend", "emulated", "--applegpu-tf32", "on", "--applegpu-nax", "both")
    records = logged(*words, "--applegpu-arch", "applegpu_g13g,applegpu_g18p", *asked(SQUARE))
    coarse = {
        (record["setting"]["arch"], record["setting"]["nax"])
        for record in records
        if record["error"]["frobenius"] > COARSE
    }
    assert len(records) == 4
    assert coarse == {("applegpu_g18p", "on")}


def test_a_case_without_an_architecture_runs_on_the_run_s_own(logged: Logged) -> None:
    (record,) = logged(*M5, *asked(f"{SQUARE} tf32=on"))
    assert record["verdict"] == "within"
    assert record["worker"]["tf32_measured"].startswith("TF32-class")


@pytest.mark.parametrize(
    ("fault", "case", "words"),
    [
        ("dropped_k", TALL.replace("cancel", "integer"), "*last element of K were dropped*"),
        ("repeated_batch", "matmul-f32-nn-9x17x33-b3 fill=integer", "*batch 1 repeats batch 0*"),
        ("abort", "matmul-f32-nn-4x4x33 fill=integer", "*SIGABRT*"),
        ("in_place", "matmul-f32-nn-9x17x33 fill=integer", "*changed its operand B in place*"),
    ],
)
def test_a_planted_fault_turns_it_red(suites: Suites, fault: str, case: str, words: str) -> None:
    result = suites(*M5, *asked(f"{case} tf32=on"), fault=fault)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([words])


def test_no_baseline_is_written(suites: Suites, pytester: pytest.Pytester) -> None:
    result = suites(*M5, "--applegpu-update-baselines", *asked(SQUARE))
    result.stdout.fnmatch_lines(
        ["baseline not written: *emulated results never become a baseline*"]
    )
    assert not list(pytester.path.glob("baselines/*"))


def test_nothing_is_timed(suites: Suites) -> None:
    timed = "matmul-f32-nt-64x64x64 check=throughput tf32=on"
    suites(*M5, *asked(timed)).stdout.fnmatch_lines(
        ["unsupported: an emulated device's times mean nothing (1)"]
    )
    assert speed_cases("matmul", "emulated", DTYPES.values(), "exhaustive", [Setting()]) == []


def test_float64_is_not_there(suites: Suites) -> None:
    result = suites(*M5, "--applegpu-dtypes", "float64")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*emulated has no float64*"])


def test_an_unknown_version_is_refused(suites: Suites) -> None:
    result = suites(*M5, "--applegpu-mlx", "0.20.0", *asked(SQUARE))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*MLX 0.20.0 is older than 0.29.0*"])


def test_the_device_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["device", "--backend", "emulated", "--arch", "applegpu_g18g", "--mlx", "0.32.1"]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["backend"], told["name"]) == ("emulated", "emulated applegpu_g18g")
    assert (told["mlx_version"], told["build_kind"]) == ("0.32.1", "emulated")
    assert told["nax"]["available"] == "yes"
    assert told["gpu_cores"] == 12
    assert told["key"] is None
    assert told["measured"]["tf32=on arch=applegpu_g18g"] == "TF32-class (11 bits, truncated)"
    assert told["measured"]["tf32=off arch=applegpu_g18g"] == "full float32"
