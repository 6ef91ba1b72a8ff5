"""On which power, in which mode and how hot does this Mac run? From pmset and notifyutil.

`pmset -g therm` stays empty on Apple silicon, so heat is the pressure level that notifyutil
reads (OSThermalNotification.h); it can stay nominal while the chip slows. Written from recorded
outputs; not run on a Mac.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_applegpu.device.commands import Commands
from pytest_applegpu.device.facts import Fact, seen, unknown

BATTERY: Final = ("pmset", "-g", "batt")
SETTINGS: Final = ("pmset", "-g")
CUSTOM: Final = ("pmset", "-g", "custom")
THERMAL_KEY: Final = "com.apple.system.thermalpressurelevel"
THERMAL: Final = ("notifyutil", "-g", THERMAL_KEY)

LEVELS: Final = ("nominal", "moderate", "heavy", "trapping", "sleeping")
"""Thermal pressure levels 0 to 4 of macOS, coolest first."""

_SOURCES: Final = {"AC Power": "AC", "Battery Power": "battery", "UPS Power": "UPS"}
_MODES: Final = {
    ("powermode", "0"): "normal",
    ("powermode", "1"): "low power",
    ("powermode", "2"): "high",
    ("lowpowermode", "0"): "normal",
    ("lowpowermode", "1"): "low power",
}
_DRAWING: Final = re.compile(r"^Now drawing from '([^']*)'", re.MULTILINE)
_SECTION: Final = re.compile(r"^(\w+ Power):\s*$", re.MULTILINE)
_MODE: Final = re.compile(r"^\s*(powermode|lowpowermode)\s+([0-9])\s*$", re.MULTILINE)


def power_source(commands: Commands) -> Fact[str]:
    """Return `AC`, `battery` or `UPS`."""
    answer = commands(BATTERY)
    otherwise = answer.complaint or "no line 'Now drawing from' that is known"
    return seen(parse_power_source(answer.stdout), "pmset -g batt", otherwise)


def power_mode(commands: Commands, source: str | None) -> Fact[str]:
    """Return `low power`, `normal` or `high`; `source` picks the section of `pmset -g custom`."""
    answer = commands(SETTINGS)
    mode = parse_power_mode(answer.stdout)
    if mode or answer.status == "missing":
        return seen(mode, "pmset -g", answer.complaint)
    custom = commands(CUSTOM)
    otherwise = custom.complaint or "neither powermode nor lowpowermode is listed"
    return seen(parse_custom_mode(custom.stdout, source), "pmset -g custom", otherwise)


def thermal_level(commands: Commands) -> Fact[str]:
    """Return one of `LEVELS`."""
    answer = commands(THERMAL)
    level = parse_thermal(answer.stdout)
    if level is None:
        said = answer.stdout.strip()[:100]
        return unknown("notifyutil", answer.complaint or f"answered {said!r}")
    doubt = "0 is also its answer for a key that does not exist" if level == LEVELS[0] else ""
    return Fact(level, "notifyutil", doubt)


def parse_power_source(text: str) -> str | None:
    """Return the power source in the output of `pmset -g batt`."""
    match = _DRAWING.search(text)
    return _SOURCES.get(match[1]) if match else None


def parse_power_mode(text: str) -> str | None:
    """Return the mode in the output of `pmset -g`; `powermode` rules where both are listed."""
    found = dict(_MODE.findall(text))
    name = "powermode" if "powermode" in found else "lowpowermode"
    return _MODES.get((name, found.get(name, "")))


def parse_custom_mode(text: str, source: str | None) -> str | None:
    """Return the mode in the section of `source` in the output of `pmset -g custom`.

    Without a source, the mode is known where all sections agree.
    """
    parts = _SECTION.split(text)[1:]
    modes = {
        _SOURCES.get(name): parse_power_mode(part)
        for name, part in zip(parts[::2], parts[1::2], strict=False)
    }
    if source is None:
        return next(iter(modes.values())) if len(set(modes.values())) == 1 else None
    return modes.get(source)


def parse_thermal(text: str) -> str | None:
    """Return the level in notifyutil's answer, which is `key level` and nothing else."""
    words = text.split()
    if len(words) != 2 or words[0] != THERMAL_KEY or not re.fullmatch("[0-4]", words[1]):
        return None
    return LEVELS[int(words[1])]
