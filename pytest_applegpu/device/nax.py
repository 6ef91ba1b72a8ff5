"""Will MLX use the neural accelerators (NAX) here, and why?

Three things must hold, as in MLX's `is_nax_available` (mlx/backend/metal/device.cpp) and its
CMake files: the GPU's generation and letter, macOS 26.2, and a library built with the kernels.
Where the library's kernel names cannot tell, its build target does, and the reason says so. Not
run on a Mac.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pytest_applegpu.device.arch import Architecture
from pytest_applegpu.device.build import Build, parse_version
from pytest_applegpu.device.facts import Fact
from pytest_applegpu.device.library import Finding, Kernels
from pytest_applegpu.device.macho import Version
from pytest_applegpu.device.macos import MacVersion

OLDEST_MACOS: Final = (26, 2)

_FIRST_WITH_NAX: Final = (0, 30)
_FIRST_BUILT_FOR_26_2: Final = (0, 32)
_BY_TARGET: Final = "decided by build target, not by kernel names"

Judgement = tuple[Finding, str]


@dataclass(frozen=True, slots=True)
class Nax:
    """Whether MLX runs NAX kernels here, with every reason looked at."""

    available: Finding
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.available}: {'; '.join(self.reasons)}"


@dataclass(frozen=True, slots=True)
class Hardware:
    """What decides on the GPU's side: its own architecture, and the one forced on MLX, if any.

    `real` is None where the GPU's own architecture is not known.
    """

    name: str
    real: Architecture | None
    forced: Architecture | None
    virtual: bool


def decide_nax(hardware: Hardware, macos: Fact[MacVersion], build: Build, kernels: Kernels) -> Nax:
    """Judge GPU, operating system and library, and combine: one no decides, all must be yes."""
    judged = (
        *judge_gpu(hardware),
        judge_macos(macos),
        judge_library(build, kernels),
    )
    findings = {finding for finding, _ in judged}
    available: Finding = "no" if "no" in findings else "yes"
    if available == "yes" and "unknown" in findings:
        available = "unknown"
    return Nax(available, tuple(reason for _, reason in judged))


def no_nax(backend: str) -> Nax:
    """Return the judgement for a backend without Metal."""
    return Nax("no", (f"backend {backend}: NAX is a part of Apple GPUs, used by metal alone",))


def emulated_nax(info: Mapping[str, object]) -> Nax:
    """Return what an emulated device says of itself: dispatch alone decides there."""
    known: dict[object, Finding] = {"yes": "yes", "no": "no"}
    available = known.get(info.get("nax"), "unknown")
    return Nax(available, (f"emulated, {info.get('nax_reason', 'for no reason given')}",))


def judge_gpu(hardware: Hardware) -> tuple[Judgement, ...]:
    """Judge the GPU's own generation and letter, and then the forced architecture, if any."""
    if hardware.virtual:
        return (("no", f"virtual GPU ({hardware.name})"),)
    judged = [_generation(hardware.real, "")]
    if hardware.forced:
        judged.append(_generation(hardware.forced, f"MLX_METAL_GPU_ARCH={hardware.forced.text}: "))
    return tuple(judged)


def judge_macos(version: Fact[MacVersion]) -> Judgement:
    """Judge the operating system: MLX asks for macOS 26.2."""
    if version.value is None:
        return "unknown", f"macOS version unknown ({version.note})"
    finding = version.value.at_least(*OLDEST_MACOS)
    told = {"yes": "is 26.2 or newer", "no": "is older than 26.2", "unknown": "may be below 26.2"}
    return finding, f"macOS {version.value} {told[finding]}"


def judge_library(build: Build, kernels: Kernels) -> Judgement:
    """Judge the library by its kernels; where they do not tell, by what it was built for."""
    if kernels.nax != "unknown":
        return kernels.nax, kernels.reason
    finding, reason = judge_target(build, kernels.target)
    return finding, f"{reason}; {_BY_TARGET} ({kernels.reason})"


def judge_target(build: Build, target: Fact[Version]) -> Judgement:
    """Judge by the macOS that the library was built for, and by MLX's version.

    MLX has NAX since 0.30.0, in builds for macOS 26; since 0.32.0 only in builds for 26.2. The
    wheels tagged macosx_26_0 are such builds: their libraries ask for 26.2.
    """
    version = parse_version(build.version.value)
    release = version.release[:2] if version else None
    if release and release < _FIRST_WITH_NAX:
        return "no", f"MLX {version} is older than 0.30.0, the first with NAX"
    if target.value is not None:
        edge = bool(version and version.is_devrelease and release == _FIRST_BUILT_FOR_26_2)
        needed = (26, 0) if release and release < _FIRST_BUILT_FOR_26_2 else OLDEST_MACOS
        finding = _built_for(target.value, needed, sure=release is not None and not edge)
        return finding, f"built for macOS {target.value[0]}.{target.value[1]} ({target.source})"
    return _by_tag(build.wheel_tag)


def runs_without_check(build: Build, kernels: Kernels) -> bool:
    """Say whether this library skips MLX's check of the operating system.

    The compiler drops the check where the build target is 26.2 already; on 26.0 and 26.1, which
    the wheel's tag allows, such a library picks NAX kernels that fail (mlx issue 4525).
    """
    if kernels.nax != "yes":
        return False
    if kernels.target.value is not None:
        return kernels.target.value >= OLDEST_MACOS
    version = parse_version(build.version.value)
    return version is not None and version.release[:2] >= _FIRST_BUILT_FOR_26_2


def _generation(architecture: Architecture | None, prefix: str) -> Judgement:
    if architecture is None:
        return "unknown", f"{prefix}architecture unknown"
    needed = architecture.nax_generation
    if architecture.has_nax:
        return "yes", f"{prefix}{architecture}: NAX from generation {needed} on"
    return "no", f"{prefix}{architecture}: NAX needs generation {needed}"


def _built_for(target: Version, needed: Version, *, sure: bool) -> Finding:
    if target >= OLDEST_MACOS:
        return "yes"
    if target < (26, 0):
        return "no"
    if not sure:
        return "unknown"
    return "yes" if target >= needed else "no"


def _by_tag(tag: Fact[str]) -> Judgement:
    found = {_macos_of(part) for part in (tag.value or "").split(", ")} - {None}
    majors = {version[0] for version in found if version}
    if not majors:
        return "unknown", f"build target unknown ({tag.note or tag.value})"
    finding: Finding = "yes" if min(majors) >= OLDEST_MACOS[0] else "no"
    if finding == "no" and max(majors) >= OLDEST_MACOS[0]:
        finding = "unknown"
    return finding, f"wheel tag {tag.value}"


def _macos_of(platform: str) -> Version | None:
    words = platform.split("_")
    if len(words) < 3 or words[0] != "macosx" or not (words[1] + words[2]).isdecimal():
        return None
    return int(words[1]), int(words[2])
