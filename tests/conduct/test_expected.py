"""NAX is expected by chip and system, whatever the build has; off is off."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.conduct import speed
from pytest_applegpu.conduct.expected import nax_missed
from pytest_applegpu.conduct.speed import Measured
from pytest_applegpu.device.chips import find_chip
from pytest_applegpu.throughput.nax import WORD
from pytest_applegpu.words import outcome

LARGE = "matmul-f16-nn-4096x4096x4096 tf32=on"
THIRD = 58.196 / 3
"""TFLOP/s of a 40-core M5 Max: what mlx PR 3211 has with NAX, and a third of it."""


def bench(macos: str = "26.2", arch: str = "applegpu_g17s", **more: Any) -> Any:
    """Return an M5 Max whose MLX was built without NAX kernels."""
    device = {
        "chip": find_chip("M5 Max", 40),
        "architecture": SimpleNamespace(value=arch),
        "os_version": SimpleNamespace(value=macos),
        "virtual": SimpleNamespace(value=False),
        "forced": SimpleNamespace(value=None),
        "nax": "no: wheel tag macosx_15_0_arm64",
    }
    return SimpleNamespace(
        backend="metal",
        device=SimpleNamespace(**device | more),
        routes=SimpleNamespace(version="0.32.4"),
    )


def missed(text: str, tflops: float = THIRD, **more: Any) -> str | None:
    (case,) = parse_cases(f"{text} check=throughput", ())
    return nax_missed(case, bench(**more), tflops)


def test_a_build_without_the_kernels_is_called_out_with_the_reason() -> None:
    said = missed(LARGE)
    assert said is not None
    assert said.startswith(WORD)
    assert "wheel tag macosx_15_0_arm64" in said
    assert outcome(WORD) == "failed"


def test_the_speed_of_nax_is_not() -> None:
    assert missed(LARGE, 58.196) is None


@pytest.mark.parametrize(
    "text",
    [
        f"{LARGE} nax=off",
        f"{LARGE} arch=applegpu_g16s",
        "matmul-f32-nn-4096x4096x4096 tf32=off",
        "matmul-c64-nn-4096x4096x4096 tf32=on",
        "matmul-f16-nn-1x4096x4096 tf32=on",
        "matmul-f16-nn-512x512x512 tf32=on",
    ],
)
def test_what_is_not_on_nax_is_not_expected_there(text: str) -> None:
    assert missed(text) is None


def test_float32_is_expected_there_with_tf32() -> None:
    assert missed("matmul-f32-nn-4096x4096x4096 tf32=on") is not None


@pytest.mark.parametrize(
    "more",
    [
        {"macos": "26.1"},
        {"macos": "15.6"},
        {"arch": "applegpu_g16s"},
        {"virtual": SimpleNamespace(value=True)},
        {"forced": SimpleNamespace(value="applegpu_g13g")},
        {"chip": None},
    ],
)
def test_chip_and_system_decide(more: dict[str, Any]) -> None:
    assert missed(LARGE, **more) is None


@pytest.mark.parametrize(("second", "left"), [("still slow", "still slow"), ("", "")])
def test_it_is_measured_again_before_it_fails(
    second: str, left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing: Any = None
    comparison: Any = SimpleNamespace(suspected=False)
    first = Measured(nothing, comparison, None, None, nothing, missed="slow")
    answers = iter([first, replace(first, missed=second)])

    def measured(_: Any, taken: list[Any]) -> Measured:
        taken.append(nothing)
        return next(answers)

    monkeypatch.setattr(speed._Comparing, "measured", measured)
    (case,) = parse_cases(f"{LARGE} check=throughput", ())
    workers: Any = SimpleNamespace(backend="cpu", pool=SimpleNamespace(replace=lambda _: None))
    found = speed.conduct(case, workers, nothing, nothing)
    assert isinstance(found, Measured)
    assert found.missed == left
    assert next(answers, None) is None
