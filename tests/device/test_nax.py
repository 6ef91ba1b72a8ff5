"""NAX or not, with every reason: GPU, macOS, library."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.device.arch import parse_architecture
from pytest_applegpu.device.build import Build, Distribution
from pytest_applegpu.device.facts import Fact, unknown
from pytest_applegpu.device.library import Finding, Kernels
from pytest_applegpu.device.macho import Version
from pytest_applegpu.device.macos import MacVersion, mac_version
from pytest_applegpu.device.nax import (
    Hardware,
    decide_nax,
    judge_library,
    judge_macos,
    no_nax,
    runs_without_check,
)

MakeBuild = Callable[..., Build]

M5_MAX = ("Apple M5 Max", "applegpu_g17s")


def gpu(
    name: str = "Apple M5 Max",
    real: str | None = "applegpu_g17s",
    forced: str | None = None,
    virtual: bool = False,
) -> Hardware:
    """Return a GPU as the judge sees it."""
    return Hardware(name, parse_architecture(real), parse_architecture(forced), virtual)


def macos(text: str = "26.4") -> Fact[MacVersion]:
    """Return a version of macOS."""
    return mac_version(text, "", "sw_vers")


def kernels(nax: Finding, target: Version | None = None, reason: str = "seen") -> Kernels:
    """Return what a library holds."""
    by = Fact(target, "load commands") if target else unknown("", "no library")
    return Kernels(nax, reason, "nothing" if nax == "unknown" else "kernel names", by)


@pytest.mark.parametrize(
    ("hardware", "version", "nax", "available"),
    [
        (gpu(), "26.4", "yes", "yes"),
        (gpu(), "26.2", "yes", "yes"),
        (gpu(), "27.0.1", "yes", "yes"),
        (gpu(), "26.1", "yes", "no"),
        (gpu(), "15.7.9", "no", "no"),
        (gpu(), "26.4", "no", "no"),
        (gpu("Apple M4 Max", "applegpu_g16s"), "26.4", "yes", "no"),
        (gpu("Apple A18 Pro", "applegpu_g17p"), "26.5.1", "yes", "no"),
        (gpu("Apple A19 Pro", "applegpu_g18p"), "26.5.1", "yes", "yes"),
        (gpu("Apple M6", "applegpu_g18g"), "27.0", "yes", "yes"),
        (gpu("Apple M7 Max", "applegpu_g19s"), "28.0", "yes", "yes"),
        (gpu(real=None), "26.4", "yes", "unknown"),
        (gpu(real=None), "26.1", "yes", "no"),
        (gpu(), "nonsense", "yes", "unknown"),
        (gpu(), "16.0", "yes", "unknown"),
        (gpu("Apple Paravirtual device", None, virtual=True), "26.4", "yes", "no"),
        (gpu(forced="applegpu_g16s"), "26.4", "yes", "no"),
        (gpu("Apple M1 Max", "applegpu_g13s", "applegpu_g17s"), "26.4", "yes", "no"),
        (gpu(forced="applegpu_g17g"), "26.4", "yes", "yes"),
    ],
)
def test_one_no_decides_and_all_must_be_yes(
    mac_build: MakeBuild, hardware: Hardware, version: str, nax: Finding, available: Finding
) -> None:
    found = decide_nax(hardware, macos(version), mac_build(), kernels(nax, (26, 2)))
    assert found.available == available
    assert len(found.reasons) == (4 if hardware.forced else 3)


def test_every_reason_is_told(mac_build: MakeBuild) -> None:
    a18 = gpu("Apple A18 Pro", "applegpu_g17p")
    library = kernels("no", (15, 0), "none of the 9 kernels is a NAX kernel")
    found = decide_nax(a18, macos("26.1"), mac_build(), library)
    assert found.reasons == (
        "generation 17, letter p: NAX needs generation 18",
        "macOS 26.1 is older than 26.2",
        "none of the 9 kernels is a NAX kernel",
    )
    assert str(found) == "no: " + "; ".join(found.reasons)


def test_a_forced_architecture_is_a_reason_of_its_own(mac_build: MakeBuild) -> None:
    found = decide_nax(gpu(forced="applegpu_g16s"), macos(), mac_build(), kernels("yes"))
    assert found.reasons[:2] == (
        "generation 17, letter s: NAX from generation 17 on",
        "MLX_METAL_GPU_ARCH=applegpu_g16s: generation 16, letter s: NAX needs generation 17",
    )


@pytest.mark.parametrize(
    ("version", "target", "finding"),
    [
        ("0.32.4", (26, 2), "yes"),
        ("0.32.4", (27, 0), "yes"),
        ("0.32.4", (26, 0), "no"),
        ("0.32.4", (15, 0), "no"),
        ("0.31.2", (26, 0), "yes"),
        ("0.31.2", (15, 0), "no"),
        ("0.29.4", (26, 2), "no"),
        ("0.33.0.dev20261101+abc1234", (26, 4), "yes"),
        ("0.33.0.dev20261101+abc1234", (26, 1), "no"),
        ("0.33.0.dev20261101+abc1234", (14, 0), "no"),
        ("0.32.0.dev20260601", (26, 1), "unknown"),
        ("0.32.0.dev20260601", (26, 2), "yes"),
        ("no version", (26, 4), "yes"),
        ("no version", (26, 0), "unknown"),
        ("no version", (14, 0), "no"),
    ],
)
def test_where_names_cannot_tell_the_build_target_does(
    mac_build: MakeBuild, version: str, target: Version, finding: Finding
) -> None:
    found, reason = judge_library(mac_build(version), kernels("unknown", target, "JIT build"))
    assert found == finding
    assert "decided by build target, not by kernel names (JIT build)" in reason


@pytest.mark.parametrize(
    ("tag", "finding"),
    [
        ("macosx_26_0_arm64", "yes"),
        ("macosx_27_0_arm64", "yes"),
        ("macosx_15_0_arm64", "no"),
        ("macosx_14_0_arm64", "no"),
        ("linux_x86_64", "unknown"),
        ("macosx_xx_0_arm64", "unknown"),
        ("any", "unknown"),
    ],
)
def test_without_a_library_the_wheel_tag_is_the_build_target(
    mac_build: MakeBuild, tag: str, finding: Finding
) -> None:
    found, reason = judge_library(mac_build(tag=tag), kernels("unknown", None, "no library"))
    assert found == finding
    assert "decided by build target" in reason


def test_tags_for_several_systems_are_unsure() -> None:
    tags = ("cp312-cp312-macosx_15_0_arm64", "cp312-cp312-macosx_26_0_arm64")
    build = Build(distributions=(Distribution("mlx", "0.32.4", tags),))
    assert judge_library(build, kernels("unknown"))[0] == "unknown"


def test_nothing_known_of_the_build_is_unknown() -> None:
    found, reason = judge_library(Build(), kernels("unknown", None, "no library"))
    assert found == "unknown"
    assert "build target unknown" in reason


def test_macos_told_as_16_is_judged_by_its_build_number() -> None:
    assert judge_macos(mac_version("16.0", "25A354", "sw_vers"))[0] == "no"
    assert judge_macos(mac_version("16.0", "25C56", "sw_vers"))[0] == "yes"
    assert judge_macos(mac_version("16.0", "", "sw_vers"))[0] == "unknown"


@pytest.mark.parametrize(
    ("version", "nax", "target", "without"),
    [
        ("0.32.4", "yes", (26, 2), True),
        ("0.31.2", "yes", (26, 0), False),
        ("0.32.4", "no", (26, 2), False),
        ("0.32.4", "yes", None, True),
        ("0.31.2", "yes", None, False),
        ("nonsense", "yes", None, False),
    ],
)
def test_libraries_built_for_26_2_do_not_ask_for_it(
    mac_build: MakeBuild, version: str, nax: Finding, target: Version | None, without: bool
) -> None:
    assert runs_without_check(mac_build(version), kernels(nax, target)) is without


def test_other_backends_have_none() -> None:
    found = no_nax("cuda")
    assert found.available == "no"
    assert "cuda" in found.reasons[0]
