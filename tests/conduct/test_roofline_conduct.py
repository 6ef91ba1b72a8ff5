"""Records lie under the roof of the chip that their key names."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import convert

from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.cli import main
from pytest_applegpu.conduct.roofline import references, spots, told
from pytest_applegpu.report.log import line
from pytest_applegpu.report.records import (
    ProblemFacts,
    Record,
    RouteFacts,
    SettingFacts,
    TimeFacts,
)
from pytest_applegpu.routing.problems import predict
from pytest_applegpu.routing.target import Gpu

ARCH, MLX = "applegpu_g17s", "0.32.4"


def record(problem: str, seconds: float, device: str = "metal-m5-max-40c") -> Record:
    (case,) = parse_cases(f"{problem} tf32=on check=throughput", ())
    route = predict(case.problem, Gpu(ARCH, True), case.setting, MLX)
    assert route is not None
    return Record(
        case=str(case),
        kind="throughput",
        problem=convert(case.problem.as_json(), ProblemFacts),
        setting=convert(case.setting.as_json(), SettingFacts),
        route=RouteFacts(arch=ARCH, mlx=MLX, path=route.path, kernels=route.kernels, here=True),
        verdict="no baseline",
        time=TimeFacts(seconds=seconds),
        device=device,
        backend="metal" if device.startswith("metal") else "cpu",
        mlx=MLX,
    )


GEMM = record("matmul-f16-nn-4096x4096x4096", 2 * 4096**3 / 58e12)
GEMV = record("matmul-f16-nt-1x4096x4096", 1e-4)


def test_sides_peaks_and_threadgroups() -> None:
    gemm, gemv = spots([GEMM, GEMV])
    assert (gemm.binds, gemm.peak_tflops, gemm.peak_gbs) == ("arithmetic", 66.36, 614.0)
    assert gemm.share == pytest.approx(58 / 66.36)
    assert gemm.per_core == pytest.approx(64 * 32 / 40)  # tiles of 64 x 128
    assert (gemv.binds, gemv.peak_tflops) == ("memory", 33.18)


def test_published_figures_stand_beside() -> None:
    (one,) = references([GEMM, GEMV])
    assert (one.published, one.source) == (58.196, "mlx PR #3211 (2026-03-10)")
    said = told([GEMM, GEMV])
    assert "as a reference and no baseline" in said
    assert "58 TFLOP/s here, 58.2 published" in said
    assert "groups/core" in said


def test_a_machine_without_peaks_has_no_section() -> None:
    assert told([record("matmul-f16-nt-1x64x64", 1e-5, "cpu-some-processor")]) == ""


def test_the_command_draws_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, plot = tmp_path / "run.jsonl", tmp_path / "roof.svg"
    log.write_bytes(line(GEMM) + line(GEMV))
    assert main(["roofline", str(log), "--plot", str(plot)]) == 0
    assert "computed peaks 66.4 TFLOP/s" in capsys.readouterr().out
    assert "<svg" in plot.read_text()


@pytest.mark.parametrize(("text", "said"), [("{", "no report log"), ("", "no timed case")])
def test_a_log_that_is_none(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "run.jsonl"
    log.write_text(text)
    assert main(["roofline", str(log)]) == 4
    assert said in capsys.readouterr().err
