"""What is told of the device that a run is on: header lines, a table, and JSON values."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.keep import Kept
from pytest_applegpu.device.show import device_json, device_lines, device_rows
from pytest_applegpu.setting import OWNED, Setting, foreign_switches

LISTED: Final = 20
"""Changes of a baseline that are printed one by one."""


class Description(NamedTuple):
    """A device, as rows of (label, text, how it is known) and as JSON values."""

    rows: list[tuple[str, str, str]]
    as_json: dict[str, Any]
    errors: tuple[str, ...]


def described(bench: Bench, settings: Iterable[Setting]) -> Description:
    """Return what is known of the device, with the arithmetic measured under each setting."""
    measured = {str(setting): bench.precision(setting).name for setting in settings}
    rows = ((name, text, "measured in a worker") for name, text in measured.items())
    return Description(
        rows=[*device_rows(bench.device), *rows],
        as_json={**device_json(bench.device), "measured": measured},
        errors=bench.device.errors,
    )


def header(bench: Bench, settings: Iterable[Setting]) -> list[str]:
    """Return what is tested, as lines for the top of a run."""
    measured = [f"{setting} measured: {bench.precision(setting).name}" for setting in settings]
    lines = [*device_lines(bench.device), "; ".join(measured)]
    switches = foreign_switches(bench.environment)
    if switches:
        lines.append(f"set in the environment: {_pairs(switches)} (no baseline is written)")
    owned = {name: os.environ[name] for name in OWNED if name in os.environ}
    if owned:
        lines.append(f"set by you, and replaced by each setting: {_pairs(owned)}")
    return lines


def kept_lines(kept: Kept, path: Path) -> list[str]:
    """Return what an update did to the file at `path`; where it did nothing, why."""
    changes = kept.changes
    if changes:
        more = [f"and {len(changes) - LISTED} more"] if len(changes) > LISTED else []
        count = f"{len(changes)} change{'' if len(changes) == 1 else 's'}"
        return [f"baseline written: {path}: {count}", *map(str, changes[:LISTED]), *more]
    same = {"as stored already": kept.measured} if kept.measured else {}
    reasons = {**same, **dict(kept.left.most_common())}
    said = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
    return [f"baseline not changed, as nothing of this run is to be stored: {path}: {said}"]


def _pairs(variables: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in variables.items())
