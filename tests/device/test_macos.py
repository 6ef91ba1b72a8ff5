"""sysctl and sw_vers: which macOS, chip and Mac; recorded outputs and nonsense."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.device.commands import Answer, Commands
from pytest_applegpu.device.macos import (
    Mac,
    MacVersion,
    mac_version,
    parse_sw_vers,
    parse_sysctl,
    read_mac,
)

Recorded = Callable[[str], str]
MakeCommands = Callable[..., Commands]


def nothing(_: object) -> Answer:
    """Answer as a machine without any of the commands."""
    return Answer(("sysctl",), "missing")


@pytest.mark.parametrize(
    ("file", "version", "build"),
    [
        ("sw_vers-15.5-m4.txt", "15.5", "24F74"),
        ("sw_vers-15.7.9-intel-vm.txt", "15.7.9", "24G830"),
        ("sw_vers-26.5.1-m5-pro.txt", "26.5.1", "25F80"),
        ("sw_vers-26.6.2-vm.txt", "26.6.2", "25G83"),
        ("sw_vers-26.0-as-16.0-compat.txt", "16.0", "25A354"),
        ("zsh-command-not-found-system_profiler.stderr.txt", "", ""),
    ],
)
def test_sw_vers(recorded: Recorded, file: str, version: str, build: str) -> None:
    assert parse_sw_vers(recorded(file)) == (version, build)


@pytest.mark.parametrize(
    ("file", "key", "value"),
    [
        ("sysctl-brand-m1-pro-macos26.txt", "machdep.cpu.brand_string", "Apple M1 Pro"),
        ("sysctl-gpu-memory-keys.txt", "iogpu.wired_limit_mb", "40960"),
        ("sysctl-set-wired-limit-m1-max.txt", "iogpu.wired_limit_mb", "26000"),
        ("sysctl-osproductversion-26.2-m3-max.txt", "kern.osproductversion", "26.2"),
        ("sysctl-proc_translated-1.txt", "sysctl.proc_translated", "1"),
        ("sysctl-m5-max-perflevels.txt", "hw.perflevel0.name", "Super"),
        ("sysctl-vm-m1-virtual-macos26.txt", "hw.model", "VirtualMac2,1"),
    ],
)
def test_sysctl(recorded: Recorded, file: str, key: str, value: str) -> None:
    assert parse_sysctl(recorded(file))[key] == value


def test_sysctl_complaints_are_no_values(recorded: Recorded) -> None:
    assert "hw.perflevel0.count" not in parse_sysctl(recorded("sysctl-unknown-oid.stderr.txt"))


@pytest.mark.parametrize(
    ("reported", "build", "text", "minor"),
    [
        ("26.4", "25E246", "26.4", 4),
        ("15.7.9", "24G830", "15.7.9", 7),
        ("27", "26A100", "27", 0),
        ("16.0", "25A354", "26.0", 0),
        ("16.2", "25C56", "26.2", 2),
        ("16.0", "25C56", "26.2", 2),
        ("16.3", "", "26.3", 3),
        ("16.0", "", "26.x", None),
        ("10.16", "24F74", "15.x", None),
        ("10.16", "20G80", "11.x", None),
        ("10.15.7", "19H2", "10.15.7", 15),
    ],
)
def test_the_true_version_behind_a_reported_one(
    reported: str, build: str, text: str, minor: int | None
) -> None:
    found = mac_version(reported, build, "sw_vers").value
    assert found is not None
    assert (found.text, found.minor) == (text, minor)


@pytest.mark.parametrize("reported", ["", "nonsense", "10.16", "18.1", "9.0", "26.", "26.4 beta"])
def test_what_no_macos_is_called(reported: str) -> None:
    fact = mac_version(reported, "", "sw_vers")
    assert fact.value is None
    assert fact.note


@pytest.mark.parametrize(
    ("version", "finding"),
    [
        (MacVersion("26.2", 26, 2), "yes"),
        (MacVersion("26.1", 26, 1), "no"),
        (MacVersion("26.x", 26, None), "unknown"),
        (MacVersion("27.0", 27, 0), "yes"),
        (MacVersion("15.x", 15, None), "no"),
    ],
)
def test_at_least(version: MacVersion, finding: str) -> None:
    assert version.at_least(26, 2) == finding


def test_a_mac_that_answers_everything(mac_commands: MakeCommands) -> None:
    mac = read_mac(mac_commands(), "26.5")
    assert (mac.chip.value, mac.model.value) == ("Apple M5 Max", "Mac17,6")
    assert mac.memory_bytes.value == 2**37
    assert (str(mac.version), mac.build.value) == ("26.5.1", "25F80")
    assert (mac.translated.value, mac.virtual.value) == (False, False)


def test_a_virtual_mac(mac_commands: MakeCommands, recorded: Recorded) -> None:
    mac = read_mac(mac_commands(sysctl=recorded("sysctl-vm-m1-virtual-macos26.txt")))
    assert (mac.chip.value, mac.virtual.value) == ("Apple M1 (Virtual)", True)
    assert mac.virtual.note == "VirtualMac2,1"


@pytest.mark.parametrize(
    ("line", "virtual"),
    [
        ("machdep.cpu.brand_string: Apple M4 Max (Virtual)", True),
        ("kern.hv_vmm_present: 1", True),
        ("kern.hv_vmm_present: 0", False),
        ("hw.model: Mac17,2", False),
        ("", None),
    ],
)
def test_virtual_or_not(mac_commands: MakeCommands, line: str, virtual: bool | None) -> None:
    assert read_mac(mac_commands(sysctl=line + "\n")).virtual.value is virtual


@pytest.mark.parametrize("file", ["sysctl-n-brand-rosetta.txt", "sysctl-brand-m1-devkit-2020.txt"])
def test_names_that_are_no_chip(mac_commands: MakeCommands, recorded: Recorded, file: str) -> None:
    said = recorded(file).strip()
    line = said if ":" in said else f"machdep.cpu.brand_string: {said}"
    fact = read_mac(mac_commands(sysctl=line)).chip
    assert fact.value is None
    assert "Apple" in fact.note


def test_rosetta(mac_commands: MakeCommands, recorded: Recorded) -> None:
    mac = read_mac(mac_commands(sysctl=recorded("sysctl-proc_translated-1.txt")))
    assert mac.translated.value is True


def test_sw_vers_that_says_16_is_outdone_by_sysctl(
    mac_commands: MakeCommands, recorded: Recorded
) -> None:
    compat = recorded("sw_vers-26.0-as-16.0-compat.txt")
    mac = read_mac(
        mac_commands(sysctl=recorded("sysctl-osproductversion-26.2-m3-max.txt"), sw_vers=compat)
    )
    assert (str(mac.version), mac.version.source) == ("26.2", "sysctl kern.osproductversion")


def test_sw_vers_that_says_16_alone_is_corrected(
    mac_commands: MakeCommands, recorded: Recorded
) -> None:
    mac = read_mac(mac_commands(sw_vers=recorded("sw_vers-26.0-as-16.0-compat.txt")), "16.0")
    assert str(mac.version) == "26.0"
    assert "reported as 16.0" in mac.version.note


def test_python_is_the_last_resort() -> None:
    mac = read_mac(nothing, "26.3")
    assert (str(mac.version), mac.version.source) == ("26.3", "Python's platform.mac_ver()")
    assert str(read_mac(nothing, "16.0").version) == "26.x"


def test_a_machine_that_answers_nothing() -> None:
    mac = read_mac(nothing)
    facts = (mac.chip, mac.model, mac.memory_bytes, mac.version, mac.build, mac.translated)
    assert [fact.value for fact in (*facts, mac.virtual)] == [None] * 7
    assert all(fact.source and fact.note for fact in facts)
    assert mac.chip.note == "sysctl is not there"


def test_partial_answers_are_used_though_sysctl_fails(mac_commands: MakeCommands) -> None:
    said = Answer(("sysctl",), "failed", "hw.model: Mac17,2\n", "sysctl: unknown oid 'x'", 1)
    mac = read_mac(mac_commands(sysctl=said))
    assert mac.model.value == "Mac17,2"
    assert "unknown oid" in mac.chip.note


@given(st.text(), st.text(), st.text())
def test_any_output_gives_a_mac(sysctl: str, sw_vers: str, python: str) -> None:
    said = {"sysctl": sysctl, "sw_vers": sw_vers}
    mac = read_mac(lambda argv: Answer(tuple(argv), "ok", said[argv[0]], "", 0), python)
    assert isinstance(mac, Mac)


@given(st.from_regex(r"[0-9]{1,4}(\.[0-9]{1,4}){0,3}", fullmatch=True), st.text(max_size=8))
def test_any_number_is_a_version_or_unknown(reported: str, build: str) -> None:
    fact = mac_version(reported, build, "sw_vers")
    assert fact.known or fact.note
