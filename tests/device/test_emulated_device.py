"""What is said of a device that is none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.device.build import Build, Distribution
from pytest_applegpu.device.commands import Commands
from pytest_applegpu.device.detect import Device, detect
from pytest_applegpu.device.show import device_lines

OTHER = Build(platform="linux", distributions=(Distribution("mlx", "0.32.4"),))
"""The MLX that happens to be installed."""


def read(path: str) -> str:
    """Return what stands in a system file of a machine of 1 GiB."""
    return "MemTotal: 1048576 kB\n" if path == "/proc/meminfo" else ""


@pytest.fixture
def emulated(answering: Callable[..., Commands]) -> Callable[[str], Device]:
    """Return what is known of an emulated device of an architecture, on Linux."""

    def find(arch: str) -> Device:
        info = {
            "device_name": f"emulated {arch}",
            "architecture": arch,
            "nax": "yes",
            "nax_reason": "generation 17, letter s, MLX 0.30.6",
        }
        hello = {"mlx": "0.30.6", "backend": "emulated", "device_info": info}
        return detect(hello, answering({}), {}, "linux", build=OTHER, read=read)

    return find


def test_the_memory_is_the_host_s_and_nothing_else(emulated: Callable[[str], Device]) -> None:
    device = emulated("applegpu_g17s")
    assert device.memory_bytes.value == 1 << 30
    assert (device.backend, device.name.value) == ("emulated", "emulated applegpu_g17s")
    assert (device.family.value, device.nax.available) == ("Apple10", "yes")
    assert device.chip is None
    assert not device.forced.known


def test_the_installed_mlx_has_no_part_in_it(emulated: Callable[[str], Device]) -> None:
    device = emulated("applegpu_g17s")
    assert (device.mlx_version.value, device.build_kind) == ("0.30.6", "emulated")
    assert not device.wheel_tag.known
    assert (device.errors, device.remarks) == ((), ())


def test_it_has_no_baseline(emulated: Callable[[str], Device]) -> None:
    key = emulated("applegpu_g18g").key
    assert (key.value, key.note) == (None, "emulated results never become a baseline")


def test_cores_are_known_where_one_chip_has_the_architecture(
    emulated: Callable[[str], Device],
) -> None:
    assert emulated("applegpu_g18g").gpu_cores.value == 12
    several = emulated("applegpu_g17s").gpu_cores
    assert (several.value, several.note) == (None, "4 chips have applegpu_g17s")


def test_an_architecture_that_no_chip_has_says_so(emulated: Callable[[str], Device]) -> None:
    device = emulated("applegpu_g19p")
    assert (device.family.value, device.family.note) == (None, "applegpu_g19p is not in it")


def test_the_header_says_what_it_is_not(emulated: Callable[[str], Device]) -> None:
    lines = device_lines(emulated("applegpu_g17s"))
    assert lines[1] == (
        "emulated: applegpu_g17s, MLX 0.30.6's dispatch, NumPy arithmetic: "
        "not a GPU, not run on a Mac"
    )
    assert lines[2].endswith("MLX 0.30.6 (emulated)")
