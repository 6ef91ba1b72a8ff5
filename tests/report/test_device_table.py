"""The device table shows every fact with how it is known."""

from __future__ import annotations

from pytest_applegpu.report.device import device_table


def test_rows_are_laid_out_as_they_are() -> None:
    text = device_table([("GPU cores", "40", "ioreg"), ("memory", "128 GiB", "sysctl")])
    assert [line.split(maxsplit=1)[0] for line in text.splitlines()] == [
        "fact",
        text.splitlines()[1].split()[0],
        "GPU",
        "memory",
    ]
    assert text.splitlines()[2].split() == ["GPU", "cores", "40", "ioreg"]


def test_numbers_are_not_rewritten() -> None:
    assert "26.20" in device_table([("OS", "26.20", "sw_vers")])


def test_long_reasons_are_broken_over_lines() -> None:
    reason = "no: generation 17 has NAX only from macOS 26.2 on, " * 4
    text = device_table([("NAX", reason, "rules")])
    assert max(map(len, text.splitlines())) <= 100
    assert text.count("generation 17") == 4


def test_control_characters_are_escaped() -> None:
    text = device_table([("name", "Apple\x1b[31m M5", "a\nb")])
    assert all(line.isprintable() for line in text.split("\n"))
