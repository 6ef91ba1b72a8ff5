"""Power, heat and load: what makes a timing unfit to be compared."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_applegpu.device.commands import Answer, Commands
from pytest_applegpu.device.condition import Condition, read_condition, unfit
from pytest_applegpu.device.facts import Fact, unknown

Recorded = Callable[[str], str]
MakeCommands = Callable[..., Commands]

IDLE = (0.0, 0.0, 0.0)
FIT = Condition(
    Fact("AC", ""), Fact("normal", ""), Fact("nominal", ""), Fact(0.1, ""), Fact((), "")
)


def refuse(argv: object) -> Answer:
    """Fail the test where a command is run."""
    raise AssertionError(argv)


def test_a_mac_on_mains_power_is_fit(mac_commands: MakeCommands) -> None:
    found = read_condition("metal", mac_commands(), "darwin", load_average=lambda: IDLE)
    assert (found.power_source.value, found.power_mode.value) == ("AC", "normal")
    assert found.thermal.value == "nominal"
    assert unfit(found) == ()


@pytest.mark.parametrize(
    ("said", "reasons"),
    [
        ({"battery": "pmset-batt-battery-discharging-m1.txt"}, ("battery power",)),
        ({"battery": "pmset-batt-ups.txt"}, ("UPS power",)),
        ({"settings": "pmset-g-lowpower1-line.txt"}, ("low power mode",)),
        ({"settings": "pmset-g-powermode2-high-power.txt"}, ()),
        ({"thermal": "notifyutil-thermal-1-moderate.txt"}, ("thermal pressure moderate",)),
        ({"thermal": "notifyutil-thermal-2-heavy.txt"}, ("thermal pressure heavy",)),
        ({"thermal": "notifyutil-failed-code9.txt"}, ()),
        (
            {
                "battery": "pmset-batt-battery-no-estimate.txt",
                "thermal": "notifyutil-thermal-4-sleeping.txt",
            },
            ("battery power", "thermal pressure sleeping"),
        ),
    ],
)
def test_recorded_conditions(
    mac_commands: MakeCommands, recorded: Recorded, said: dict[str, str], reasons: tuple[str, ...]
) -> None:
    commands = mac_commands(**{name: recorded(file) for name, file in said.items()})
    assert unfit(read_condition("metal", commands, "darwin", load_average=lambda: IDLE)) == reasons


def test_linux_on_the_cpu_runs_no_command(tmp_path: Path) -> None:
    found = read_condition("cpu", refuse, "linux", load_average=lambda: IDLE, supplies=tmp_path)
    assert found.load.value == 0.0
    assert unfit(found) == ()


def test_another_system_runs_no_command_either() -> None:
    found = read_condition("cpu", refuse, "win32", load_average=lambda: IDLE)
    assert not found.power_source.known


def test_nvidia_is_asked_on_cuda(tmp_path: Path) -> None:
    line = "GPU-a, NVIDIA H200, 143771, 580.1, P0, 90, 0x0000000000000044\n"
    found = read_condition(
        "cuda",
        lambda argv: Answer(tuple(argv), "ok", line, "", 0),
        "linux",
        load_average=lambda: IDLE,
        supplies=tmp_path,
    )
    assert found.throttle.value == ("power cap", "hardware thermal slowdown")
    assert unfit(found) == ("GPU clocks held back: hardware thermal slowdown",)


def test_a_power_cap_alone_is_how_a_loaded_gpu_works() -> None:
    assert unfit(replace(FIT, throttle=Fact(("power cap", "GPU idle"), ""))) == ()


@pytest.mark.parametrize(("each", "busy"), [(1.9, False), (2.1, True)])
def test_load_is_counted_for_each_core(each: float, busy: bool) -> None:
    total = each * (os.cpu_count() or 1)
    found = read_condition("cpu", refuse, "linux", load_average=lambda: (total, 0.0, 0.0))
    assert found.load.value == pytest.approx(each)
    assert any("load of 2.1" in reason for reason in unfit(found)) is busy


def test_a_system_without_load_averages() -> None:
    def none() -> tuple[float, float, float]:
        raise OSError

    assert not read_condition("cpu", refuse, "linux", load_average=none).load.known


def test_a_virtual_gpu_is_never_comparable() -> None:
    assert unfit(replace(FIT, virtual=True)) == ("virtual GPU",)


def test_what_is_unknown_is_no_reason() -> None:
    nothing = unknown("", "not asked")
    assert unfit(Condition(nothing, nothing, nothing, nothing, nothing)) == ()
