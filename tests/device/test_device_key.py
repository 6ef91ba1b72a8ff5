"""The name under which a baseline is kept."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.device.facts import Fact, unknown
from pytest_applegpu.device.identity import Identity
from pytest_applegpu.device.key import baseline_key, slug


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Apple M5 Max", "m5-max"),
        ("NVIDIA H200", "nvidia-h200"),
        ("AMD EPYC", "amd-epyc"),
        ("Intel(R) Core(TM) i7-8700B CPU @ 3.20GHz", "intel-core-i7-8700b-cpu-3-20ghz"),
        ("NVIDIA H200 MIG 1g.18gb", "nvidia-h200-mig-1g-18gb"),
        ("../../etc/passwd", "etc-passwd"),
        ("龍芯", ""),
    ],
)
def test_slugs(name: str, text: str) -> None:
    assert slug(name) == text


def identity(name: str, cores: int | None) -> Identity:
    """Return a plain GPU of that name."""
    nothing = unknown("", "not asked")
    return Identity(
        name=Fact(name, "mx.device_info"),
        architecture=nothing,
        family=nothing,
        gpu_cores=Fact(cores, "ioreg"),
        memory_bytes=nothing,
        virtual=Fact(False, ""),
        forced=nothing,
    )


def test_nothing_but_hardware_is_in_a_key() -> None:
    assert baseline_key("metal", identity("Apple M4", 10)).value == "metal-m4-10c"
    assert baseline_key("cuda", identity("NVIDIA H200", None)).value == "cuda-nvidia-h200"
    assert baseline_key("cpu", identity("AMD EPYC", None)).value == "cpu-amd-epyc"


def test_no_key_without_a_name() -> None:
    fact = baseline_key("cpu", identity("", None))
    assert (fact.value, fact.note.startswith("device name unknown")) == (None, True)


@given(st.text())
def test_a_key_is_a_safe_file_name(name: str) -> None:
    key = baseline_key("metal", identity(name, 8)).value
    assert key is None or re.fullmatch(r"metal-[a-z0-9-]+-8c", key)
