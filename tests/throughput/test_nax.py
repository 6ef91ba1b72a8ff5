"""A speed that NAX cannot explain is called out; published NAX speeds are not."""

from __future__ import annotations

import pytest

from pytest_applegpu.device.chips import Chip, find_chip
from pytest_applegpu.device.published import Published, published
from pytest_applegpu.throughput.nax import CLASS, WORD, is_judged, simd_class

NAX = [one for one in published() if one.nax == "yes" and one.gpu_cores and is_judged(*one.shape)]


def float32_peak(chip: str, cores: int | None) -> float:
    found = find_chip(chip, cores)
    assert isinstance(found, Chip)
    return found.fp32_tflops


def test_there_are_published_figures_with_nax() -> None:
    assert {one.chip for one in NAX} >= {"M5 Max", "M6"}


@pytest.mark.parametrize("one", NAX, ids=lambda one: f"{one.chip} {one.dtype} {one.shape}")
def test_no_published_figure_with_nax_is_called_out(one: Published) -> None:
    assert simd_class(one.tflops, float32_peak(one.chip, one.gpu_cores)) is None


def test_a_third_of_the_published_speed_is_called_out() -> None:
    # M5 Max, float16, 4096 cubed: 58.2 TFLOP/s with NAX (mlx PR 3211), about three times less
    # where the build lacks its kernels.
    said = simd_class(58.196 / 3, float32_peak("M5 Max", 40))
    assert said is not None
    assert said.startswith(WORD)
    assert "19.4 TFLOP/s is 1.17 of the float32 peak" in said


def test_a_published_speed_without_nax_is_called_out() -> None:
    # M6, 12 cores, float32 on MPS, which is without NAX.
    assert simd_class(4.85, float32_peak("M6", 12)) is not None


def test_the_edge() -> None:
    assert simd_class(CLASS * 10, 10) is not None
    assert simd_class(CLASS * 10.01, 10) is None
    with pytest.raises(ValueError, match="peak of 0"):
        simd_class(1.0, 0)


@pytest.mark.parametrize(
    ("shape", "judged"),
    [
        ((2048, 2048, 2048), True),
        ((1024, 4096, 4096), True),
        ((512, 8192, 8192), False),
        ((1024, 1024, 1024), False),
        ((1, 16384, 16384), False),
    ],
)
def test_only_large_products_are_judged(shape: tuple[int, int, int], judged: bool) -> None:
    assert is_judged(*shape) is judged
