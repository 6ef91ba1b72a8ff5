"""Linux: processor, memory, distribution and power, from files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.device.linux import (
    cpu_model,
    distribution,
    kernel_release,
    memory_bytes,
    parse_os_release,
    power_source,
    read_text,
    under_hypervisor,
)

CPUINFO = """\
processor\t: 0
vendor_id\t: AuthenticAMD
model name\t: AMD EPYC 9654 96-Core Processor
flags\t\t: fpu vme hypervisor lahf_lm
"""


def reading(**files: str) -> Callable[[str], str]:
    """Return a reader of these files, named by the last part of their path."""
    return lambda path: files.get(Path(path).name.replace("-", "_"), "")


def test_the_processor() -> None:
    assert cpu_model(reading(cpuinfo=CPUINFO)).value == "AMD EPYC 9654 96-Core Processor"
    assert under_hypervisor(reading(cpuinfo=CPUINFO))
    assert not under_hypervisor(reading(cpuinfo="flags : fpu hypervisors\n"))


@pytest.mark.parametrize("text", ["", "model name\t:\n", "CPU implementer : 0x41\n"])
def test_a_processor_without_a_name(text: str) -> None:
    assert cpu_model(reading(cpuinfo=text)).value is None


def test_memory() -> None:
    text = "MemFree: 1 kB\nMemTotal:       24684084 kB\n"
    assert memory_bytes(reading(meminfo=text)).value == 24684084 * 1024
    assert memory_bytes(reading(meminfo="MemTotal: much kB\n")).value is None


def test_the_distribution() -> None:
    text = 'NAME="Ubuntu"\nVERSION_ID="24.04"\nID=ubuntu\n# no\nHOME_URL=\'x\'\n'
    name, version = distribution(reading(os_release=text))
    assert (name.value, version.value) == ("Ubuntu", "24.04")
    assert parse_os_release(text)["HOME_URL"] == "x"
    assert [fact.value for fact in distribution(reading(os_release="ID=arch\n"))] == [None, None]


def test_the_kernel() -> None:
    assert kernel_release(reading(osrelease="6.8.0-45-generic\n")).value == "6.8.0"
    assert kernel_release(reading()).value is None


@pytest.mark.parametrize(
    ("supplies", "source"),
    [
        ({"AC": {"type": "Mains", "online": "1"}}, "AC"),
        ({"AC": {"type": "Mains", "online": "0"}}, None),
        ({"BAT0": {"type": "Battery", "status": "Discharging"}}, "battery"),
        ({"BAT0": {"type": "Battery", "status": "Charging"}}, None),
        (
            {
                "AC": {"type": "Mains", "online": "1"},
                "BAT0": {"type": "Battery", "status": "Discharging"},
            },
            "AC",
        ),
        ({"mouse": {"type": "Battery", "status": "Discharging", "scope": "Device"}}, None),
        ({}, None),
    ],
)
def test_power(tmp_path: Path, supplies: dict[str, dict[str, str]], source: str | None) -> None:
    for name, files in supplies.items():
        (tmp_path / name).mkdir()
        for file, text in files.items():
            (tmp_path / name / file).write_text(text + "\n")
    assert power_source(tmp_path).value == source


def test_a_system_without_power_supplies(tmp_path: Path) -> None:
    fact = power_source(tmp_path / "nowhere")
    assert fact.value is None
    assert fact.note


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert read_text(str(tmp_path)) == ""
    assert read_text(str(tmp_path / "none")) == ""
    assert read_text("a\0b") == ""
    (tmp_path / "bytes").write_bytes(b"a\xffb")
    assert read_text(str(tmp_path / "bytes")) == "a�b"


@given(st.text())
def test_any_text_is_parsed_without_trouble(text: str) -> None:
    facts = (cpu_model(lambda _: text), memory_bytes(lambda _: text))
    assert all(fact.known or fact.note for fact in facts)
    assert isinstance(parse_os_release(text), dict)
