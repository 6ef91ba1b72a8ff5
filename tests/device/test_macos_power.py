"""Power source, power mode and heat, from the outputs of pmset and notifyutil."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.device.commands import Answer, Commands
from pytest_applegpu.device.macos_power import (
    LEVELS,
    parse_custom_mode,
    parse_power_mode,
    parse_power_source,
    parse_thermal,
    power_mode,
    power_source,
    thermal_level,
)

Recorded = Callable[[str], str]
MakeCommands = Callable[..., Commands]


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("pmset-batt-ac-charged.txt", "AC"),
        ("pmset-batt-ac-charging.txt", "AC"),
        ("pmset-batt-ac-not-charging-m5-pro.txt", "AC"),
        ("pmset-batt-desktop.txt", "AC"),
        ("pmset-batt-battery-discharging-2019.txt", "battery"),
        ("pmset-batt-battery-discharging-m1.txt", "battery"),
        ("pmset-batt-battery-no-estimate.txt", "battery"),
        ("pmset-batt-ups.txt", "UPS"),
        ("bash-pmset-command-not-found.stderr.txt", None),
        ("pmset-therm-apple-silicon.txt", None),
    ],
)
def test_power_source(recorded: Recorded, file: str, source: str | None) -> None:
    assert parse_power_source(recorded(file)) == source


@pytest.mark.parametrize(
    ("file", "mode"),
    [
        ("pmset-g-air-lowpower0.txt", "normal"),
        ("pmset-g-sleepdisabled-lowpower0.txt", "normal"),
        ("pmset-g-lowpower1-line.txt", "low power"),
        ("pmset-g-powermode2-high-power.txt", "high"),
        ("pmset-batt-desktop.txt", None),
        ("pmset-therm-intel-100.txt", None),
    ],
)
def test_power_mode(recorded: Recorded, file: str, mode: str | None) -> None:
    assert parse_power_mode(recorded(file)) == mode


@pytest.mark.parametrize(
    ("file", "source", "mode"),
    [
        ("pmset-custom-lowpower1-m1.txt", "AC", "low power"),
        ("pmset-custom-lowpower1-m1.txt", None, "low power"),
        ("pmset-custom-powermode-1-2.txt", "battery", "low power"),
        ("pmset-custom-powermode-1-2.txt", "AC", "high"),
        ("pmset-custom-powermode-1-2.txt", None, None),
        ("pmset-custom-studio-desktop.txt", "AC", "normal"),
        ("pmset-custom-studio-desktop.txt", "UPS", None),
        ("pmset-batt-desktop.txt", "AC", None),
    ],
)
def test_custom_power_mode(
    recorded: Recorded, file: str, source: str | None, mode: str | None
) -> None:
    assert parse_custom_mode(recorded(file), source) == mode


def test_powermode_rules_over_the_older_name() -> None:
    assert parse_power_mode(" lowpowermode 0\n powermode 2\n") == "high"
    assert parse_power_mode(" lowpowermode 1\n powermode 7\n") is None


@pytest.mark.parametrize("level", range(5))
def test_thermal_levels(recorded: Recorded, level: int) -> None:
    file = f"notifyutil-thermal-{level}-{LEVELS[level]}.txt"
    assert parse_thermal(recorded(file)) == LEVELS[level]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "com.apple.system.thermalpressurelevel 5",
        "com.apple.system.thermalpressurelevel -1",
        "com.apple.system.thermalpressurelevel 0 0",
        "com.apple.system.thermalpressurelevel",
    ],
)
def test_thermal_answers_that_are_none(text: str) -> None:
    assert parse_thermal(text) is None


def test_the_traps_of_notifyutil(mac_commands: MakeCommands, recorded: Recorded) -> None:
    failed = thermal_level(mac_commands(thermal=recorded("notifyutil-failed-code9.txt")))
    assert failed.value is None
    assert "Failed with code 9" in failed.note
    other = thermal_level(mac_commands(thermal=recorded("notifyutil-unknown-key-0.txt")))
    assert other.value is None
    nominal = thermal_level(mac_commands())
    assert nominal.value == "nominal"
    assert "does not exist" in nominal.note


def test_the_mode_is_looked_up_a_second_way(mac_commands: MakeCommands, recorded: Recorded) -> None:
    custom = recorded("pmset-custom-powermode-1-2.txt")
    fact = power_mode(mac_commands(settings="nothing", custom=custom), "battery")
    assert (fact.value, fact.source) == ("low power", "pmset -g custom")


@pytest.mark.parametrize("status", ["missing", "timed out", "failed"])
def test_commands_that_do_not_answer(status: str, mac_commands: MakeCommands) -> None:
    def ask(argv: object) -> Answer:
        return Answer(("pmset",), status)  # type: ignore[arg-type]

    facts = (power_source(ask), power_mode(ask, None), thermal_level(ask))
    assert [fact.value for fact in facts] == [None] * 3
    assert all(fact.note for fact in facts)


@given(st.text())
def test_any_text_is_parsed_without_trouble(text: str) -> None:
    assert parse_power_source(text) in {None, "AC", "battery", "UPS"}
    assert parse_power_mode(text) in {None, "normal", "low power", "high"}
    assert parse_custom_mode("AC Power:\n" + text, "AC") in {None, "normal", "low power", "high"}
    assert parse_thermal(text) is None
