"""Which Linux and processor is this, and on which power? Read from files; no command is run."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pytest_applegpu.device.facts import Fact, seen

ReadText = Callable[[str], str]
"""Returns the text of a file, empty where there is none: `read_text`, or a test's own."""

POWER_SUPPLIES: Final = Path("/sys/class/power_supply")

_MOST_BYTES: Final = 1 << 20


def read_text(path: str) -> str:
    """Return the text of a system file, at most 1 MiB; empty where it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", errors="replace")
    except (OSError, ValueError):
        return ""


def cpu_model(read: ReadText) -> Fact[str]:
    """Return the processor's name; on ARM, Linux gives none."""
    match = re.search(r"^model name\s*:[ \t]*(\S.*)$", read("/proc/cpuinfo"), re.MULTILINE)
    otherwise = "no line 'model name'"
    return seen(match[1].strip() if match else None, "/proc/cpuinfo", otherwise)


def under_hypervisor(read: ReadText) -> bool:
    """Say whether the processor flags tell of a hypervisor."""
    flags = re.search(r"^flags\s*:(.*)$", read("/proc/cpuinfo"), re.MULTILINE)
    return bool(flags and "hypervisor" in flags[1].split())


def memory_bytes(read: ReadText) -> Fact[int]:
    """Return the machine's memory in bytes."""
    match = re.search(r"^MemTotal:\s*([0-9]{1,15}) kB\s*$", read("/proc/meminfo"), re.MULTILINE)
    value = int(match[1]) * 1024 if match else None
    return seen(value, "/proc/meminfo MemTotal", "no line 'MemTotal'")


def distribution(read: ReadText) -> tuple[Fact[str], Fact[str]]:
    """Return name and version of the distribution, from os-release (freedesktop.org)."""
    said = parse_os_release(read("/etc/os-release") or read("/usr/lib/os-release"))
    name, version = said.get("NAME"), said.get("VERSION_ID")
    return (
        seen(name or None, "/etc/os-release NAME", "no NAME"),
        seen(version or None, "/etc/os-release VERSION_ID", "no VERSION_ID"),
    )


def parse_os_release(text: str) -> dict[str, str]:
    """Return the assignments in an os-release file, without their quotes."""
    pairs = re.findall(r"""^([A-Z_0-9]+)=(["']?)(.*?)\2\s*$""", text, re.MULTILINE)
    return {key: value for key, _, value in pairs}


def kernel_release(read: ReadText) -> Fact[str]:
    """Return the version of the running kernel, without what a distributor or host appended."""
    source = "/proc/sys/kernel/osrelease"
    found = re.match(r"\d+(\.\d+)*", read(source).strip())
    return seen(found[0] if found else None, source, "no such file, or no version in it")


def power_source(supplies: Path = POWER_SUPPLIES) -> Fact[str]:
    """Return `AC` or `battery`; a desktop that lists no supply is unknown."""
    states = {_state(folder) for folder in _folders(supplies)} - {None}
    value = "AC" if "AC" in states else "battery" if "battery" in states else None
    return seen(value, str(supplies), "no supply there says that it is in use")


def _folders(supplies: Path) -> list[Path]:
    try:
        return sorted(supplies.iterdir())
    except OSError:
        return []


def _state(folder: Path) -> str | None:
    kind = read_text(str(folder / "type")).strip()
    if kind in {"Mains", "USB"} and read_text(str(folder / "online")).strip() == "1":
        return "AC"
    scope = read_text(str(folder / "scope")).strip()
    status = read_text(str(folder / "status")).strip()
    return "battery" if (kind, scope, status) == ("Battery", "", "Discharging") else None
