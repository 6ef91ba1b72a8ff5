"""GPU cores, from the outputs that ioreg and system_profiler gave on real Macs."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.device.commands import Answer, Commands
from pytest_applegpu.device.macos_gpu import (
    IOREG_PLIST,
    Gpu,
    choose,
    gpu_cores,
    parse_displays,
    parse_ioreg_plist,
    parse_ioreg_text,
)

Recorded = Callable[[str], str]
MakeCommands = Callable[..., Commands]

PLIST = '<?xml version="1.0"?><plist version="1.0"><array>{}</array></plist>'


@pytest.mark.parametrize(
    ("file", "model", "cores"),
    [
        ("ioreg-agx-m1-max-32c.txt", "Apple M1 Max", 32),
        ("ioreg-agx-m3-max-30c.txt", "Apple M3 Max", 30),
        ("ioreg-agx-m4-10c.txt", "Apple M4", 10),
        ("ioreg-agx-m4-max-40c.txt", "Apple M4 Max", 40),
        ("ioreg-agx-m5-pro-20c-macos27.txt", "Apple M5 Pro", 20),
        ("ioreg-core-count-grep-m5-max-40c.txt", None, 40),
    ],
)
def test_ioreg_text(recorded: Recorded, file: str, model: str | None, cores: int) -> None:
    assert parse_ioreg_text(recorded(file)) == (Gpu(model, cores),)


@pytest.mark.parametrize(
    ("file", "model"),
    [
        ("ioreg-agx-m4-pro-16c.plist", "Apple M4 Pro"),
        ("ioreg-agx-m5-pro-16c.plist", "Apple M5 Pro"),
    ],
)
def test_ioreg_plist(recorded: Recorded, file: str, model: str) -> None:
    assert parse_ioreg_plist(recorded(file)) == (Gpu(model, 16),)


@pytest.mark.parametrize(
    "file",
    [
        "ioreg-agx-m1-pro-mbp16-macos12.txt",
        "ioreg-agx-m3-pro.txt",
        "ioreg-agx-no-match-empty.txt",
        "ioreg-intel-accelerator-icl-macbook.txt",
        "sh-ioreg-not-found.stderr.txt",
    ],
)
def test_ioreg_without_a_count(recorded: Recorded, file: str) -> None:
    assert parse_ioreg_text(recorded(file)) == ()
    assert parse_ioreg_plist(recorded(file)) == ()


@pytest.mark.parametrize(
    ("file", "model", "cores"),
    [
        ("sp-displays-m1-7c.json", "Apple M1", 7),
        ("sp-displays-m1-max-32c.json", "Apple M1 Max", 32),
        ("sp-displays-m1-pro-14c-3displays.json", "Apple M1 Pro", 14),
        ("sp-displays-m2-max-30c.json", "Apple M2 Max", 30),
        ("sp-displays-m3-max-40c.json", "Apple M3 Max", 40),
        ("sp-displays-m3-pro-14c.json", "Apple M3 Pro", 14),
        ("sp-displays-m4-10c.json", "Apple M4", 10),
        ("sp-displays-m4-8c.txt", "Apple M4", 8),
        ("sp-displays-m5-10c.json", "Apple M5", 10),
        ("sp-displays-m5-max-40c-macos27.json", "Apple M5 Max", 40),
    ],
)
def test_displays(recorded: Recorded, file: str, model: str, cores: int) -> None:
    assert parse_displays(recorded(file)) == (Gpu(model, cores),)


@pytest.mark.parametrize(
    "file",
    [
        "sp-displays-intel-imac-pro-vega64.txt",
        "sp-displays-intel-uhd630-radeon.json",
        "sp-displays-vm-intel-paravirtual-macos15.json",
        "zsh-command-not-found-system_profiler.stderr.txt",
    ],
)
def test_displays_without_a_count(recorded: Recorded, file: str) -> None:
    assert all(gpu.cores is None for gpu in parse_displays(recorded(file)))


@pytest.mark.parametrize(
    ("entry", "cores"),
    [
        ("<dict><key>gpu-core-count</key><integer>40</integer></dict>", 40),
        ("<dict><key>gpu-core-count</key><data>KAAAAA==</data></dict>", 40),
        ("<dict><key>gpu-core-count</key><string>40</string></dict>", 40),
        ("<dict><key>gpu-core-count</key><integer>0</integer></dict>", None),
        ("<dict><key>gpu-core-count</key><integer>-8</integer></dict>", None),
        ("<dict><key>gpu-core-count</key><integer>99999999</integer></dict>", None),
        ("<dict><key>gpu-core-count</key><true/></dict>", None),
        ("<dict><key>gpu-core-count</key><real>40.0</real></dict>", None),
        (
            "<array><dict><key>gpu-core-count</key><integer>8</integer></dict></array>",
            8,
        ),
    ],
)
def test_counts_in_a_plist(entry: str, cores: int | None) -> None:
    assert parse_ioreg_plist(PLIST.format(entry)) == (Gpu(None, cores),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<plist>",
        '<?xml version="1.0"?><plist><array><dict><key>gpu-core-count</key>',
        '<?xml version="1.0"?><plist version="1.0"><integer>forty</integer></plist>',
        '<?xml version="1.0"?><plist version="1.0"><date>soon</date></plist>',
        '<?xml version="1.0"?><plist version="1.0"><data>!</data></plist>',
        '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><plist version="1.0"/>',
        '<?xml version="1.0"?><plist version="1.0"><string>\x01</string></plist>',
        '<?xml version="1.0"?><plist version="1.0"><dict><string>a</string></dict></plist>',
    ],
)
def test_bad_plists(text: str) -> None:
    assert parse_ioreg_plist(text) == ()


def test_a_log_line_before_the_plist_is_passed_over(recorded: Recorded) -> None:
    text = "ioreg: something to say\n" + recorded("ioreg-agx-m4-pro-16c.plist")
    assert parse_ioreg_plist(text) == (Gpu("Apple M4 Pro", 16),)


def test_data_in_the_text_form_is_little_endian() -> None:
    text = '    "gpu-core-count" = <28000000>\n    "model" = <"Apple M5 Max">\n'
    assert parse_ioreg_text(text) == (Gpu("Apple M5 Max", 40),)
    text = '    "gpu-core-count" = 8\n    "model" = <4170706c65204d3100>\n'
    assert parse_ioreg_text(text) == (Gpu("Apple M1", 8),)


@pytest.mark.parametrize(
    ("found", "model", "cores"),
    [
        ((Gpu("Apple M4", 10),), "Apple M4", 10),
        ((Gpu("Apple M4", 10),), None, 10),
        ((Gpu("Apple M4", 10), Gpu("Apple M4", 10)), "Apple M4", 10),
        ((Gpu("Apple M4", 10), Gpu("Radeon", 36)), "Apple M4", 10),
        ((Gpu(None, 99), Gpu("Apple M4", 10)), "Apple M4", 10),
        ((Gpu(None, 10),), "Apple M4", 10),
        ((Gpu("Apple M4", 10), Gpu("Apple M4", 8)), "Apple M4", None),
        ((Gpu("Apple M4", 10),), "Apple M5", None),
        ((Gpu("Apple M4", None),), "Apple M4", None),
        ((), "Apple M4", None),
    ],
)
def test_the_choice_among_several(
    found: tuple[Gpu, ...], model: str | None, cores: int | None
) -> None:
    fact = choose(found, model, "ioreg")
    assert fact.value == cores
    assert fact.known or fact.note


def test_two_matches_in_one_output(recorded: Recorded, mac_commands: MakeCommands) -> None:
    both = recorded("ioreg-agx-m3-max-30c.txt") + recorded("ioreg-agx-m4-max-40c.txt")
    commands = mac_commands(ioreg=both)
    assert gpu_cores(commands, "Apple M3 Max").value == 30
    assert gpu_cores(commands, "Apple M4 Max").value == 40
    fact = gpu_cores(commands, None)
    assert fact.value is None
    assert "several GPUs disagree: 30, 40 cores" in fact.note


def test_the_ways_are_tried_in_order(recorded: Recorded, mac_commands: MakeCommands) -> None:
    plist, text = recorded("ioreg-agx-m4-pro-16c.plist"), recorded("ioreg-agx-m4-10c.txt")
    displays = recorded("sp-displays-m5-10c.json")
    first = gpu_cores(mac_commands(ioreg_plist=plist, ioreg=text), "Apple M4 Pro")
    second = gpu_cores(mac_commands(ioreg_plist="<plist", ioreg=text), "Apple M4")
    third = gpu_cores(mac_commands(displays=displays), "Apple M5")
    assert (first.value, second.value, third.value) == (16, 10, 10)
    assert (first.source[-2:], second.source[:5], third.source[:6]) == ("-a", "ioreg", "system")


def test_when_all_ways_fail_each_is_told() -> None:
    def hang(argv: object) -> Answer:
        return Answer(("ioreg", "-r"), "timed out", "", "no answer in time")

    fact = gpu_cores(hang, "Apple M5")
    assert fact.value is None
    assert "timed out" in fact.note
    missing = gpu_cores(lambda argv: Answer(tuple(argv), "missing"), "Apple M5")
    assert "ioreg is not there" in missing.note
    assert "system_profiler is not there" in missing.note
    assert " ".join(IOREG_PLIST) in missing.source


@given(st.text())
def test_any_text_is_parsed_without_trouble(text: str) -> None:
    for trial in (text, '<?xml version="1.0"?>' + text, "{" + text, "+-o " + text):
        for parse in (parse_ioreg_plist, parse_ioreg_text, parse_displays):
            assert isinstance(parse(trial), tuple)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["SPDisplaysDataType", "sppci_cores", "_name"]), inner
            )
        ),
        max_leaves=8,
    )
)
def test_any_json_is_parsed_without_trouble(tree: object) -> None:
    for trial in (tree, {"SPDisplaysDataType": tree}, {"SPDisplaysDataType": [tree]}):
        for gpu in parse_displays(json.dumps(trial)):
            assert gpu.cores is None or 0 < gpu.cores <= 1024


@given(st.text(alphabet='<>/=" abcdefgiklnoprstuy0123456789-', max_size=80))
def test_any_plist_body_is_parsed_without_trouble(body: str) -> None:
    assert isinstance(parse_ioreg_plist(PLIST.format(body)), tuple)
