"""Which macOS, chip and Mac is this? From sysctl and sw_vers.

Two traps: a program built with an SDK older than 26 is told that macOS 26 is 16 (and before,
that 11 to 15 are 10.16), and Rosetta names its own processor in place of the chip. Written from
recorded outputs; not run on a Mac.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pytest_applegpu.device.commands import Commands
from pytest_applegpu.device.facts import Fact, seen, unknown
from pytest_applegpu.device.library import Finding

SYSCTL_KEYS: Final = (
    "machdep.cpu.brand_string",
    "hw.model",
    "hw.memsize",
    "kern.osproductversion",
    "kern.osversion",
    "kern.hv_vmm_present",
    "sysctl.proc_translated",
)

_SYSCTL_LINE: Final = re.compile(r"^([a-z][\w.]*)\s*[:=]\s*(.*)$")
_VERSION: Final = re.compile(r"^([0-9]{1,3})(?:\.([0-9]{1,3}))?(?:\.[0-9]{1,3})*$")
_BUILD: Final = re.compile(r"^([0-9]{2})([A-Z])[0-9]+[a-z]?$")


@dataclass(frozen=True, slots=True)
class MacVersion:
    """The version of macOS. `minor` is None where only the major number is sure."""

    text: str
    major: int
    minor: int | None

    def at_least(self, major: int, minor: int) -> Finding:
        """Say whether this is macOS `major`.`minor` or newer."""
        if self.major != major:
            return "yes" if self.major > major else "no"
        if self.minor is None:
            return "unknown"
        return "yes" if self.minor >= minor else "no"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Mac:
    """What sysctl and sw_vers say of a Mac."""

    chip: Fact[str]
    model: Fact[str]
    memory_bytes: Fact[int]
    version: Fact[MacVersion]
    build: Fact[str]
    translated: Fact[bool]
    virtual: Fact[bool]


def read_mac(commands: Commands, python_version: str = "") -> Mac:
    """Ask sysctl and sw_vers; `python_version` is what platform.mac_ver() says, the last resort."""
    answer = commands(("sysctl", *SYSCTL_KEYS))
    said = parse_sysctl(answer.stdout)
    trouble = answer.complaint or "sysctl does not know it"
    version, build = _version_and_build(commands, said, python_version)
    return Mac(
        chip=_chip(said, trouble),
        model=seen(said.get("hw.model") or None, "sysctl hw.model", trouble),
        memory_bytes=seen(_whole(said.get("hw.memsize")), "sysctl hw.memsize", trouble),
        version=version,
        build=build,
        translated=seen(
            _flag(said.get("sysctl.proc_translated")), "sysctl sysctl.proc_translated", trouble
        ),
        virtual=_virtual(said, trouble),
    )


def parse_sysctl(text: str) -> dict[str, str]:
    """Return the `key: value` lines of sysctl; a value just set (`old -> new`) is the new one."""
    lines = (_SYSCTL_LINE.match(line.strip()) for line in text.splitlines())
    return {line[1]: line[2].rpartition("->")[2].strip() for line in lines if line}


def parse_sw_vers(text: str) -> tuple[str, str]:
    """Return version and build as sw_vers prints them, each empty where it does not."""
    pairs = (line.partition(":") for line in text.splitlines())
    said = {key.strip(): value.strip() for key, _, value in pairs}
    return said.get("ProductVersion", ""), said.get("BuildVersion", "")


def mac_version(reported: str, build: str, source: str) -> Fact[MacVersion]:
    """Return the true version behind a reported one.

    A 16.x is macOS 26, and a 10.16 is 11 to 15: the build number tells which, since its first
    two digits count Darwin releases (25 is macOS 26, 24 is macOS 15) and its letter the minor
    ones (26.0 is 25A, 26.2 is 25C).
    """
    match = _VERSION.match(reported)
    if not match:
        return unknown(source, f"answered {reported[:60]!r}" if reported else "no version")
    major, minor = int(match[1]), int(match[2] or 0)
    if (major, minor) == (10, 16):
        return _behind_10_16(build, source)
    if major == 16:
        return _behind_16(minor, build, source)
    if major < 10 or 15 < major < 26:
        return unknown(source, f"answered {reported}, which no macOS is called")
    return Fact(MacVersion(reported, major, minor), source)


def _behind_16(minor: int, build: str, source: str) -> Fact[MacVersion]:
    match = _BUILD.match(build)
    sure: int | None = minor or None
    told = "its true number is not known beyond 26"
    if match and match[1] == "25":
        sure = ord(match[2]) - ord("A")
        told = f"build {build} is 26.{sure}"
    text = "26.x" if sure is None else f"26.{sure}"
    note = f"reported as 16.{minor}, the name for programs built with an older SDK; {told}"
    return Fact(MacVersion(text, 26, sure), source, note)


def _behind_10_16(build: str, source: str) -> Fact[MacVersion]:
    match = _BUILD.match(build)
    note = "reported as 10.16, the name of macOS 11 to 15 for programs built with an older SDK"
    if not match or not 20 <= int(match[1]) <= 24:
        return unknown(source, note)
    major = int(match[1]) - 9
    return Fact(MacVersion(f"{major}.x", major, None), source, f"{note}; build {build} tells")


def _version_and_build(
    commands: Commands, said: Mapping[str, str], python_version: str
) -> tuple[Fact[MacVersion], Fact[str]]:
    """Take the first source that gives a plain number; else the first that can be corrected."""
    answer = commands(("sw_vers",))
    reported, build = parse_sw_vers(answer.stdout)
    sysctl_build = said.get("kern.osversion", "")
    build_fact = seen(build or sysctl_build or None, _build_source(build), "no build number")
    number = build or sysctl_build
    found = [
        mac_version(reported, number, "sw_vers"),
        mac_version(said.get("kern.osproductversion", ""), number, "sysctl kern.osproductversion"),
        mac_version(python_version, number, "Python's platform.mac_ver()"),
    ]
    plain = next((fact for fact in found if fact.known and not fact.note), None)
    corrected = next((fact for fact in found if fact.known), None)
    notes = "; ".join(f"{fact.source}: {fact.note}" for fact in found if fact.note)
    nothing = unknown("sw_vers, sysctl, platform.mac_ver()", answer.complaint or notes)
    return plain or corrected or nothing, build_fact


def _build_source(build: str) -> str:
    return "sw_vers" if build else "sysctl kern.osversion"


def _chip(said: Mapping[str, str], trouble: str) -> Fact[str]:
    source = "sysctl machdep.cpu.brand_string"
    brand = said.get("machdep.cpu.brand_string", "")
    if brand.startswith("VirtualApple"):
        return unknown(source, f"answered {brand!r}, Rosetta's own processor")
    if brand == "Apple processor":
        return unknown(source, "answered 'Apple processor', as before macOS 11 named the chip")
    return seen(brand or None, source, trouble)


def _virtual(said: Mapping[str, str], trouble: str) -> Fact[bool]:
    model, brand = said.get("hw.model", ""), said.get("machdep.cpu.brand_string", "")
    if model.startswith("VirtualMac"):
        return Fact(True, "sysctl hw.model", model)
    if brand.endswith("(Virtual)"):
        return Fact(True, "sysctl machdep.cpu.brand_string", brand)
    source = "sysctl kern.hv_vmm_present"
    present = _flag(said.get("kern.hv_vmm_present"))
    if present is None and model:
        return Fact(False, "sysctl hw.model", model)
    return seen(present, source, trouble)


def _flag(text: str | None) -> bool | None:
    return {"0": False, "1": True}.get(text or "")


def _whole(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"[0-9]{1,18}", text) else None
