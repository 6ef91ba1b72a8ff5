"""Is the machine in a condition in which its speed can be compared? Power, heat and load.

Cheap enough to be read before and after every timed section; on Linux without an NVIDIA GPU no
command is run at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_applegpu.device import linux, macos_power
from pytest_applegpu.device.commands import Commands
from pytest_applegpu.device.facts import Fact, seen, unknown
from pytest_applegpu.device.nvidia import SLOWING, nvidia_gpu, throttling

BUSY: Final = 2.0
"""Runnable processes for each core, over the last minute, from which timings are unfit."""

LoadAverage = Callable[[], tuple[float, float, float]]


@dataclass(frozen=True, slots=True)
class Condition:
    """Power, heat and load at one moment.

    `load` is the load average of the last minute divided by the cores; `throttle` names what
    holds an NVIDIA GPU's clocks back.
    """

    power_source: Fact[str]
    power_mode: Fact[str]
    thermal: Fact[str]
    load: Fact[float]
    throttle: Fact[tuple[str, ...]]
    virtual: bool = False


def read_condition(
    backend: str,
    commands: Commands,
    platform: str,
    *,
    virtual: bool = False,
    uuid: str | None = None,
    load_average: LoadAverage = os.getloadavg,
    supplies: Path = linux.POWER_SUPPLIES,
) -> Condition:
    """Return the condition of the machine now.

    Args:
        backend: `metal`, `cuda` or `cpu`; NVIDIA's tool is asked for `cuda` alone.
        commands: what runs the outside commands.
        platform: `sys.platform` of the machine.
        virtual: whether the GPU is a virtual one, as `Device.virtual` says.
        uuid: which NVIDIA GPU, as MLX's device info gives it.
        load_average: what returns the load averages.
        supplies: where Linux lists power supplies.
    """
    source, mode, thermal = _power(commands, platform, supplies)
    throttle: Fact[tuple[str, ...]] = unknown("", f"not asked for on {backend}")
    if backend == "cuda":
        throttle = throttling(nvidia_gpu(commands, uuid))
    return Condition(source, mode, thermal, _load(load_average), throttle, virtual)


def unfit(condition: Condition) -> tuple[str, ...]:
    """Return the reasons why speed is not comparable now; an unknown fact is no reason."""
    found = []
    if condition.virtual:
        found.append("virtual GPU")
    if condition.power_source.value in {"battery", "UPS"}:
        found.append(f"{condition.power_source.value} power")
    if condition.power_mode.value == "low power":
        found.append("low power mode")
    if condition.thermal.value in macos_power.LEVELS[1:]:
        found.append(f"thermal pressure {condition.thermal.value}")
    if condition.load.value is not None and condition.load.value > BUSY:
        found.append(f"load of {condition.load.value:.1f} for each core")
    slowing = [one for one in condition.throttle.value or () if one in SLOWING]
    if slowing:
        found.append(f"GPU clocks held back: {', '.join(slowing)}")
    return tuple(found)


def _power(
    commands: Commands, platform: str, supplies: Path
) -> tuple[Fact[str], Fact[str], Fact[str]]:
    if platform == "darwin":
        source = macos_power.power_source(commands)
        mode = macos_power.power_mode(commands, source.value)
        return source, mode, macos_power.thermal_level(commands)
    nothing: Fact[str] = unknown("", f"{platform} is not asked for it")
    if platform == "linux":
        return linux.power_source(supplies), nothing, nothing
    return nothing, nothing, nothing


def _load(load_average: LoadAverage) -> Fact[float]:
    try:
        runnable = load_average()[0]
    except OSError:
        return unknown("os.getloadavg", "this system gives none")
    cores = os.cpu_count() or 1
    return seen(runnable / cores, f"os.getloadavg, {cores} cores", "")
