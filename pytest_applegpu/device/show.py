"""How is a device told to people and programs? Header lines, a table, and plain JSON values."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import msgspec

from pytest_applegpu.device.chips import peak_bandwidth
from pytest_applegpu.device.condition import Condition, unfit
from pytest_applegpu.device.detect import Device
from pytest_applegpu.device.facts import Fact
from pytest_applegpu.device.nvidia import IDLE

Row = tuple[str, str, str]
"""Label, text, and how it is known."""


def device_lines(device: Device) -> list[str]:
    """Return at most seven lines for the pytest header, free of control characters."""
    lines = [
        f"applegpu: {_hardware(device)}",
        *_emulation(device),
        _software(device),
        f"NAX: {device.nax}",
        f"power: {_power(device.condition)}",
        _key(device),
    ]
    if device.errors:
        more = len(device.errors) - 1
        lines.append(f"error: {device.errors[0]}" + (f" (and {more} more)" if more else ""))
    return [_printable(line) for line in lines]


def device_rows(device: Device) -> list[Row]:
    """Return every fact as a row for a table; unknown ones say what was seen instead."""
    condition = device.condition
    facts: list[tuple[str, Fact[Any], str]] = [
        ("device", device.name, ""),
        ("architecture", device.architecture, ""),
        ("forced architecture", device.forced, "" if device.forced.known else "none"),
        ("GPU family", device.family, ""),
        ("GPU cores", device.gpu_cores, ""),
        ("memory", device.memory_bytes, _size(device.memory_bytes.value)),
        ("working set", device.working_set_bytes, _size(device.working_set_bytes.value)),
        ("largest buffer", device.buffer_bytes, _size(device.buffer_bytes.value)),
        ("virtual GPU", device.virtual, _yes_no(device.virtual.value)),
        ("system", device.os_name, ""),
        ("system version", device.os_version, ""),
        ("system build", device.os_build, ""),
        ("MLX", device.mlx_version, ""),
        ("wheel tag", device.wheel_tag, ""),
        ("power source", condition.power_source, ""),
        ("power mode", condition.power_mode, ""),
        ("thermal level", condition.thermal, ""),
        ("load for each core", condition.load, _decimal(condition.load.value)),
        ("baseline key", device.key, ""),
    ]
    rows = [(label, text or str(fact), _known_by(fact)) for label, fact, text in facts]
    emulated = device.backend == "emulated"
    known = (
        "as asked for: not a GPU, not run on a Mac" if emulated else "the worker's default device"
    )
    rows.insert(0, ("backend", device.backend, known))
    rows.insert(-1, ("NAX", device.nax.available, "; ".join(device.nax.reasons)))
    rows += [("not comparable", reason, "condition") for reason in unfit(condition)]
    rows += [("remark", remark, "") for remark in device.remarks]
    return rows + [("error", error, "") for error in device.errors]


def device_json(device: Device) -> dict[str, Any]:
    """Return plain values by name, null where unknown, and under `known_by` how each is known."""
    facts = {**_facts(device), **_facts(device.condition)}
    bandwidth = peak_bandwidth(device.chip)
    return {
        "backend": device.backend,
        **{name: fact.value for name, fact in facts.items()},
        "build_kind": device.build_kind,
        "nax": {"available": device.nax.available, "reasons": list(device.nax.reasons)},
        "chip": None if device.chip is None else msgspec.to_builtins(device.chip),
        "bandwidth_gbs": bandwidth.value if bandwidth else None,
        "not_comparable": list(unfit(device.condition)),
        "remarks": list(device.remarks),
        "errors": list(device.errors),
        "known_by": {
            name: {"source": fact.source, "note": fact.note} for name, fact in facts.items()
        },
    }


def _printable(line: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in line)


def _facts(record: Device | Condition) -> dict[str, Fact[Any]]:
    pairs = ((field.name, getattr(record, field.name)) for field in fields(record))
    return {name: value for name, value in pairs if isinstance(value, Fact)}


def _hardware(device: Device) -> str:
    words = [device.backend, str(device.name) if device.name.known else "unknown device"]
    if device.architecture.known:
        family = f" ({device.family})" if device.family.known else ""
        words.append(f"{device.architecture}{family}")
    if device.backend == "metal":
        words.append(f"{device.gpu_cores} GPU cores")
    if device.memory_bytes.known:
        words.append(_size(device.memory_bytes.value))
    return ", ".join(words) + (" (virtual)" if device.virtual.value else "")


def _emulation(device: Device) -> list[str]:
    """Return a line that keeps anybody from taking an emulated device for a GPU."""
    if device.backend != "emulated":
        return []
    dispatch = f"MLX {device.mlx_version}'s dispatch"
    said = f"{device.architecture}, {dispatch}, NumPy arithmetic: not a GPU, not run on a Mac"
    return [f"emulated: {said}"]


def _software(device: Device) -> str:
    build = f" ({device.os_build})" if device.os_build.known else ""
    version = f" {device.os_version}" if device.os_version.known else ""
    wheel = str(device.wheel_tag) if device.wheel_tag.known else device.build_kind
    return f"{device.os_name}{version}{build}, MLX {device.mlx_version} ({wheel})"


def _power(condition: Condition) -> str:
    words = [str(condition.power_source) if condition.power_source.known else "source unknown"]
    if condition.power_mode.known:
        words.append(f"{condition.power_mode} mode")
    words.append(f"thermal {condition.thermal}")
    held = [reason for reason in condition.throttle.value or () if reason != IDLE]
    if held:
        words.append(f"clocks held back by {', '.join(held)}")
    return ", ".join(words)


def _key(device: Device) -> str:
    if device.key.known:
        return f"baseline key: {device.key}"
    return f"no baseline key: {device.key.note}"


def _known_by(fact: Fact[Any]) -> str:
    return f"{fact.source}: {fact.note}" if fact.source and fact.note else fact.source or fact.note


def _size(count: int | None) -> str:
    return f"{count / 2**30:.4g} GiB" if count is not None else ""


def _decimal(value: float | None) -> str:
    return f"{value:.2f}" if value is not None else ""


def _yes_no(value: bool | None) -> str:
    return {True: "yes", False: "no"}.get(value, "") if value is not None else ""
