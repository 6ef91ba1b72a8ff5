"""What would freeze a Mac's screen, or swap its memory, is unsupported, with both figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.conduct.usable import unusable
from pytest_applegpu.device.build import Build
from pytest_applegpu.device.commands import Answer
from pytest_applegpu.device.detect import Device, detect
from pytest_applegpu.setting import Setting

# As `mx.device_info()` says of an M1 with 16 GB.
M1 = {
    "device_name": "Apple M1",
    "architecture": "applegpu_g13g",
    "memory_size": 17179869184,
    "max_buffer_length": 8589934592,
    "max_recommended_working_set_size": 11453251584,
    "resource_limit": 499000,
}


def case(text: str) -> Case:
    """Return the case of a text."""
    (found,) = parse_cases(text, [Setting("on")])
    return found


@pytest.fixture(scope="module")
def mac() -> Device:
    """Return an M1 with 16 GB, as its worker tells of it."""
    hello = {"backend": "metal", "mlx": "0.32.4", "device_info": M1, "mac_ver": "26.2"}
    return detect(hello, lambda argv: Answer(tuple(argv), "missing"), {}, "darwin", build=Build())


def test_the_limits_are_read_from_mlx(mac: Device) -> None:
    assert mac.working_set_bytes.value == 11453251584
    assert mac.buffer_bytes.value == 8589934592


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("matmul-f32-nn-46500x46500x1", "an array takes 8.65 GB, and a Metal buffer holds 8.59 GB"),
        (
            "matmul-f32-nn-30000x30000x9000",
            (
                "the case takes 5.76 GB of the GPU's memory, and half of the recommended working "
                "set is 5.73 GB"
            ),
        ),
        (
            "matmul-f16-nn-8192x8192x8192",
            (
                "one product is computed to take 1.69 s of GPU time, and a submission may take "
                "0.5 s: macOS ends longer ones"
            ),
        ),
    ],
)
def test_both_figures_are_said(mac: Device, text: str, said: str) -> None:
    assert unusable(case(text), mac, None, None) == said


def test_what_fits_is_run_and_other_backends_are_left_alone(mac: Device) -> None:
    assert unusable(case("matmul-f16-nn-4096x4096x4096"), mac, 2.6, 68.0) is None
    large = case("matmul-f16-nn-8192x8192x8192")
    assert unusable(large, mac, 60.0, 600.0) is None
    assert unusable(large, replace(mac, backend="cuda"), None, None) is None


def test_a_slow_memory_makes_a_case_too_long_as_well(mac: Device) -> None:
    reason = unusable(case("matmul-f16-nt-1x50000x50000"), mac, 100.0, 30.0)
    assert reason is not None
    assert "0.667 s" in reason
