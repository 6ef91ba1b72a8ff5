"""A run from its collection to its summary, alone, in parallel and interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CASE, FAULTS, Suites

TIMED = "matmul-f32-nt-64x64x64 fill=normal check=throughput tf32=on"
CPU = ("--applegpu-backend", "cpu")
FALSE = "/bin/false" if Path("/bin/false").exists() else "/usr/bin/false"
Logged = Callable[..., list[dict[str, Any]]]


def test_collecting_starts_no_worker(suites: Suites) -> None:
    broken = ("--collect-only", "-q", "--applegpu-backend", "metal", "--applegpu-python", FALSE)
    result = suites(*broken, apart=True)
    assert result.ret == pytest.ExitCode.OK
    assert sum("test_matmul_exact[" in line for line in result.outlines) > 100


def test_header_says_what_is_tested(suites: Suites) -> None:
    result = suites(*CPU, "--applegpu-case", CASE)
    result.stdout.fnmatch_lines(["applegpu: cpu, *", "*MLX *", "NAX: no: *", "baseline key: cpu-*"])


def test_summary_has_a_table_and_the_counts(suites: Suites) -> None:
    result = suites(*CPU, "--applegpu-case", CASE, "--applegpu-case", TIMED)
    result.stdout.fnmatch_lines(
        ["*= applegpu =*", "operation*dtype*setting*", "matmul*float32*tf32 on*", "2 cases: *"]
    )


def test_two_installed_backends_are_refused(
    suites: Suites, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mlx_cpu", "mlx_cuda_13"):
        folder = pytester.path / "fakes" / f"{name}-9.9.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Name: {name.replace('_', '-')}\nVersion: 9.9\n")
    monkeypatch.syspath_prepend(str(pytester.path / "fakes"))
    result = suites("--applegpu-case", CASE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*mlx-cpu and mlx-cuda-13 are both installed*"])


def test_measured_times_reach_pytest_benchmark(suites: Suites, pytester: pytest.Pytester) -> None:
    result = suites(*CPU, "--applegpu-case", TIMED, "--benchmark-json", "bench.json")
    assert result.ret == pytest.ExitCode.OK
    (bench,) = json.loads((pytester.path / "bench.json").read_text())["benchmarks"]
    assert bench["options"]["timer"] == "worker_seconds"
    assert bench["extra_info"]["case"] == TIMED
    assert bench["extra_info"]["tflops"] > 0
    # Floating-point subtraction of the replayed clock costs the last digits.
    assert bench["stats"]["min"] > 0
    assert bench["stats"]["rounds"] >= 6


@pytest.mark.parametrize(
    "words", [("--benchmark-disable",), ("-p", "no:benchmark"), ("--benchmark-skip",)]
)
def test_without_pytest_benchmark_all_else_works(logged: Logged, words: tuple[str, ...]) -> None:
    records = logged(*CPU, "--applegpu-case", CASE, "--applegpu-case", TIMED, *words)
    kinds = ["exact"] if "--benchmark-skip" in words else ["exact", "throughput"]
    assert [record["kind"] for record in records] == kinds
    assert all(record["time"]["seconds"] > 0 for record in records[1:])


def test_in_parallel_every_record_arrives_and_baselines_are_written(
    logged: Logged, pytester: pytest.Pytester
) -> None:
    cases = [f"matmul-f32-nn-{m}x8x8 fill=integer tf32=on" for m in range(8, 20)]
    words = [word for case in [*cases, TIMED] for word in ("--applegpu-case", case)]
    update = ("-n", "2", "--applegpu-update-baselines")
    records = logged(*CPU, *words, *update, apart=True)
    assert sorted(record["case"] for record in records) == sorted([*cases, TIMED])
    (path,) = (pytester.path / "baselines").glob("cpu-*.json")
    assert list(json.loads(path.read_text())["cases"]) == [TIMED]


_INTERRUPTIBLE = """
import runpy, signal
# A run in the background of a shell inherits that interrupts are ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("pytest", run_name="__main__", alter_sys=True)
"""


def test_interrupt_prints_what_is_done_and_leaves_no_worker(tmp_path: Path) -> None:
    cases = ["matmul-f32-nn-8x8x8 fill=integer tf32=on", "matmul-f32-nn-33x8x8192 tf32=on"]
    words = [word for case in cases for word in ("--applegpu-case", case)]
    log = tmp_path / "log.jsonl"
    pid = tmp_path / "pid"
    planted = {"APPLEGPU_TEST_FAULT": "hang", "APPLEGPU_TEST_PID": str(pid)}
    environment = {**os.environ, "PYTHONPATH": str(FAULTS), **planted}
    run = subprocess.Popen(
        [
            *(sys.executable, "-c", _INTERRUPTIBLE, "--pyargs", "pytest_applegpu.suites"),
            *(*CPU, *words),
            *("--applegpu-report-log", str(log), "-p", "no:cacheprovider"),
        ],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not (log.exists() and log.read_text().endswith("\n") and pid.exists()):
        assert run.poll() is None
        assert time.monotonic() < deadline
        os.sched_yield()
    run.send_signal(signal.SIGINT)
    said, _ = run.communicate(timeout=60)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    assert "KeyboardInterrupt" in said
    assert "1 case: 1 exact" in said
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_own_tests_may_use_the_marker_and_fixtures(
    suites: Suites, pytester: pytest.Pytester
) -> None:
    path = pytester.makepyfile(
        """
        import pytest

        @pytest.mark.applegpu(op="matmul", check="exact")
        def test_own(case, prove):
            prove(case)
        """
    )
    result = pytester.runpytest_inprocess(str(path), *CPU, "--applegpu-case", CASE)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["applegpu: cpu, *"])


def test_a_marker_may_name_several_checks(pytester: pytest.Pytester) -> None:
    path = pytester.makepyfile(
        """
        import pytest

        @pytest.mark.applegpu(op="matmul", check=("vmap", "compiled"))
        def test_own(case, prove):
            prove(case)
        """
    )
    words = [
        f"--applegpu-case=matmul-f32-nn-3x4x5 check={check} tf32=off"
        for check in ("vmap", "compiled", "shapeless")
    ]
    pytester.runpytest_inprocess(str(path), *CPU, *words).assert_outcomes(passed=2)


def test_a_wrong_check_in_a_marker_is_named(pytester: pytest.Pytester) -> None:
    path = pytester.makepyfile(
        """
        import pytest

        @pytest.mark.applegpu(op="matmul", check="thrice")
        def test_own(case, prove):
            prove(case)
        """
    )
    result = pytester.runpytest_inprocess(str(path))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*check='thrice' is not one of exact, bounded*"])


def test_a_marked_test_without_a_case_is_no_silent_pass(pytester: pytest.Pytester) -> None:
    path = pytester.makepyfile(
        """
        import pytest

        @pytest.mark.applegpu(op="matmul", check="exact")
        def test_own(cas):
            assert 0
        """
    )
    result = pytester.runpytest_inprocess(str(path))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*test_own: *argument called case*"])


def test_a_worker_that_cannot_start_again_is_a_verdict(logged: Logged) -> None:
    """The second worker of a run has no MLX: its cases say so, and each has its record."""
    cases = [f"matmul-f32-nn-{m}x8x8 fill=integer" for m in (8, 9)]
    words = [word for case in cases for word in ("--applegpu-case", case)]
    records = logged(*CPU, *words, fault="no_second_worker")
    verdicts = {(record["setting"]["tf32"], record["verdict"]) for record in records}
    assert verdicts == {("on", "exact"), ("off", "crashed")}
    assert len(records) == 4


def test_operands_that_do_not_fit_are_named_as_such(
    logged: Logged, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pytest_applegpu.worker.arena.Arena.reserve", refuse)
    (record,) = logged(*CPU, "--applegpu-case", CASE)
    assert record["verdict"] == "unsupported"
    assert "do not fit" in record["error"]["message"]


def test_a_report_log_in_an_ini_file_is_left_alone_by_other_runs(
    suites: Suites, pytester: pytest.Pytester
) -> None:
    pytester.makeini("[pytest]\napplegpu_report_log = log.jsonl\n")
    suites(*CPU, "--applegpu-case", CASE)
    before = (pytester.path / "log.jsonl").read_bytes()
    own = pytester.makepyfile("def test_own(): pass")
    pytester.runpytest_inprocess(str(own)).assert_outcomes(passed=1)
    assert (pytester.path / "log.jsonl").read_bytes() == before != b""
