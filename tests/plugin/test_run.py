"""A run from its collection to its summary, alone, in parallel and interrupted."""

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


def test_interrupt_prints_what_is_done_and_leaves_no_worker(tmp_path: Path) -> None:
    cases = ["matmul-f32-nn-8x8x8 fill=integer tf32=on", "matmul-f32-nn-33x8x8192 tf32=on"]
    words = [word for case in cases for word in ("--applegpu-case", case)]
    log = tmp_path / "log.jsonl"
    environment = {**os.environ, "PYTHONPATH": str(FAULTS), "APPLEGPU_TEST_FAULT": "hang"}
    run = subprocess.Popen(
        [
            *(sys.executable, "-m", "pytest", "--pyargs", "pytest_applegpu.suites", *CPU, *words),
            *("--applegpu-report-log", str(log), "-p", "no:cacheprovider"),
        ],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    while not (log.exists() and log.read_text().endswith("\n")):
        assert run.poll() is None
        os.sched_yield()
    run.send_signal(signal.SIGINT)
    said, _ = run.communicate(timeout=60)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    assert "KeyboardInterrupt" in said
    assert "1 case: 1 exact" in said
    serving = subprocess.run(
        ["ps", "-Ao", "ppid,command"], capture_output=True, text=True, check=True
    )
    assert not [
        line for line in serving.stdout.splitlines() if f"{run.pid} " in line and "serve.py" in line
    ]


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
    result.stdout.fnmatch_lines(["*check='thrice' is not one of exact, bounded*"])
