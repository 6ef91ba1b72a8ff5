"""The chip table: what it holds, and the peaks that follow from it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.device.chips import (
    APPLE,
    MARKS,
    NVIDIA,
    SOURCES,
    Accelerator,
    Chip,
    chip_name,
    chips_named,
    find_chip,
    peak_bandwidth,
    peak_tflops,
)


@pytest.mark.parametrize("chip", APPLE, ids=lambda chip: f"{chip.name}-{chip.gpu_cores}")
class TestEveryRow:
    """Every row names its sources and follows the formula of the peaks."""

    def test_sources_and_marks_are_explained(self, chip: Chip) -> None:
        assert chip.sources
        assert set(chip.sources) <= set(SOURCES)
        marks = {chip.architecture_status, chip.clock_status, chip.bandwidth_status}
        assert marks <= set(MARKS)
        assert chip.peak_confidence in {"low", "medium", "medium-high"}

    def test_generation_and_letter_are_those_of_the_architecture(self, chip: Chip) -> None:
        assert chip.architecture == f"applegpu_g{chip.generation}{chip.letter}"
        assert re.fullmatch(r"Apple(7|8|9|10|11)", chip.family)

    def test_peaks_are_cores_times_clock_times_flops(self, chip: Chip) -> None:
        per_clock = chip.gpu_cores * chip.clock_mhz * 1e-6
        fp32 = 128 if chip.name == "A14" else 256
        wide = chip.nax or chip.name == "A14"
        assert chip.fp32_tflops == pytest.approx(per_clock * fp32, abs=0.006)
        assert chip.fp16_tflops == pytest.approx(per_clock * fp32 * (2 if wide else 1), abs=0.006)
        nax = per_clock * 1024 if chip.nax else None
        assert chip.fp16_nax_tflops == (None if nax is None else pytest.approx(nax, abs=0.006))


def test_a_chip_has_one_architecture_and_family_whatever_its_cores() -> None:
    for chip in APPLE:
        rows = chips_named(chip.name)
        assert len({(row.architecture, row.family, row.nax) for row in rows}) == 1
        assert len({row.gpu_cores for row in rows}) == len(rows)


def test_pro_and_max_print_the_same_letter() -> None:
    for name in ("M1", "M2", "M3", "M4", "M5"):
        pro, most = chips_named(f"{name} Pro")[0], chips_named(f"{name} Max")[0]
        assert pro.architecture == most.architecture


@pytest.mark.parametrize(
    ("device_name", "name"),
    [
        ("Apple M5 Max", "M5 Max"),
        ("Apple M1 (Virtual)", "M1"),
        ("  Apple A18 Pro ", "A18 Pro"),
        ("AMD EPYC", "AMD EPYC"),
        ("", ""),
    ],
)
def test_names(device_name: str, name: str) -> None:
    assert chip_name(device_name) == name


def test_the_row_is_found_by_name_and_cores() -> None:
    binned, full = find_chip("Apple M3 Max", 30), find_chip("Apple M3 Max", 40)
    assert isinstance(binned, Chip)
    assert isinstance(full, Chip)
    assert (binned.bandwidth_gbs, full.bandwidth_gbs) == (300.0, 400.0)


@pytest.mark.parametrize(
    ("name", "cores"),
    [("Apple M3 Max", None), ("Apple M3 Max", 36), ("Apple M7 Max", 40), ("", None), ("NVIDIA", 1)],
)
def test_no_row_is_guessed(name: str, cores: int | None) -> None:
    assert find_chip(name, cores) is None


def test_nvidia_is_found_by_its_whole_name() -> None:
    assert find_chip("NVIDIA H200", None) in NVIDIA
    assert find_chip("NVIDIA H200 NVL", None) is None


@pytest.mark.parametrize(
    ("dtype", "tf32", "nax", "value"),
    [
        ("float32", False, True, 16.59),
        ("float32", True, True, 66.36),
        ("float32", True, False, 16.59),
        ("complex64", True, True, 16.59),
        ("float16", False, True, 66.36),
        ("float16", True, False, 33.18),
        ("bfloat16", True, True, 66.36),
    ],
)
def test_peaks_of_an_m5_max(dtype: str, tf32: bool, nax: bool, value: float) -> None:
    peak = peak_tflops(find_chip("Apple M5 Max", 40), dtype, tf32=tf32, nax=nax)
    assert peak is not None
    assert (peak.value, peak.unit, peak.confidence) == (value, "TFLOP/s", "low")
    assert "P3211" in peak.source


def test_a_peak_that_no_figure_gives_says_what_bounds_it() -> None:
    peak = peak_tflops(find_chip("Apple M5", 10), "float32", tf32=True, nax=True)
    assert peak is not None
    assert "no figure for float32" in peak.source


def test_nax_asked_of_a_chip_without_it_gives_the_plain_peak() -> None:
    peak = peak_tflops(find_chip("Apple M4", 10), "float16", tf32=True, nax=True)
    assert peak is not None
    assert peak.value == 4.04


@pytest.mark.parametrize(
    ("dtype", "tf32", "value"),
    [
        ("float32", False, 67.0),
        ("float32", True, 494.5),
        ("complex64", True, 494.5),
        ("float16", False, 989.5),
        ("bfloat16", False, 989.5),
        ("float64", True, 67.0),
    ],
)
def test_peaks_of_an_h200(dtype: str, tf32: bool, value: float) -> None:
    chip = find_chip("NVIDIA H200", None)
    assert isinstance(chip, Accelerator)
    peak = peak_tflops(chip, dtype, tf32=tf32, nax=False)
    assert peak is not None
    assert peak.value == value


def test_what_has_no_peak() -> None:
    assert peak_tflops(None, "float32", tf32=True, nax=True) is None
    assert peak_tflops(find_chip("Apple M4", 10), "float64", tf32=True, nax=True) is None
    assert peak_tflops(find_chip("NVIDIA H200", None), "int8", tf32=True, nax=True) is None
    assert peak_bandwidth(None) is None


def test_bandwidth_carries_its_mark() -> None:
    m5, h200 = (peak_bandwidth(find_chip(*one)) for one in (("Apple M5", 10), ("NVIDIA H200", 0)))
    assert m5 is not None
    assert h200 is not None
    assert (m5.value, m5.unit, m5.confidence) == (153.6, "GB/s", "apple")
    assert (h200.value, h200.confidence) == (4800.0, "high")


@given(st.text(), st.none() | st.integers())
def test_any_name_is_looked_up_without_trouble(name: str, cores: int | None) -> None:
    chip = find_chip(name, cores)
    assert chip is None or chip.name in {chip_name(name), name.strip()}
