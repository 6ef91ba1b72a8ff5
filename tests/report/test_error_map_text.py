"""The map is read in a terminal and as a picture, by people and by programs."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.report.error_map import LEGEND, block, sections, svg
from pytest_applegpu.report.records import ErrorMapFacts, Record

TAIL = ErrorMapFacts(rows=5, cols=70, cells=(*["." * 32 + "###"] * 4, "." * 32 + "#1#"))
LARGE = ErrorMapFacts(rows=1025, cols=200_000, batch=(1, 2), cells=("." * 49,) * 8 + ("5" * 49,))
SVG = "{http://www.w3.org/2000/svg}"


@st.composite
def maps(draw: st.DrawFn) -> ErrorMapFacts:
    """Draw maps such as checks make: cells of a power of two."""
    sides = [draw(st.integers(1, 2**31 - 1)) for _ in range(2)]
    down, across = (
        -(-size // (1 << max(-(-size // most) - 1, 0).bit_length()))
        for size, most in zip(sides, (16, 64), strict=True)
    )
    line = st.text(".123456789#", min_size=across, max_size=across)
    cells = draw(st.lists(line, min_size=down, max_size=down))
    batch = draw(st.lists(st.integers(0, 99), max_size=3))
    return ErrorMapFacts(rows=sides[0], cols=sides[1], batch=tuple(batch), cells=tuple(cells))


def test_the_block_has_numbers_at_its_edges() -> None:
    assert block(TAIL) == [
        "the matrix, 5 x 70",
        "a character is 1 x 2 elements",
        "   0       16      32      48      64",
        "  -+-------+-------+-------+-------+---",
        "0 |................................###|",
        "1 |................................###|",
        "2 |................................###|",
        "3 |................................###|",
        "4 |................................#1#|",
        "  -+-------+-------+-------+-------+---",
        LEGEND,
    ]


def test_long_axes_are_numbered_in_thousands_of_1024() -> None:
    lines = block(LARGE)
    assert lines[0] == "the matrix at [1, 2] of the batch, 1025 x 200000"
    assert lines[1] == "a character is 128 x 4096 elements, less at the edge"
    assert lines[2].split() == ["0", "32K", "64K", "96K", "128K", "160K", "192K"]
    assert lines[-3] == "1024 |" + "5" * 49 + "|"


@given(maps())
def test_every_block_is_narrow_ascii_and_holds_every_cell(facts: ErrorMapFacts) -> None:
    lines = block(facts)
    assert len(lines) == len(facts.cells) + 6
    assert all(line.isascii() and line.isprintable() and len(line) <= 72 for line in lines)
    drawn = [line[line.index("|") + 1 : -1] for line in lines[4:-2]]
    assert tuple(drawn) == facts.cells


@given(maps(), st.text(max_size=60))
def test_every_picture_is_xml_with_a_name_and_what_it_shows(
    facts: ErrorMapFacts, title: str
) -> None:
    root = ET.fromstring(svg(facts, title))  # noqa: S314 - our own text
    assert root.tag == f"{SVG}svg"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert f"{facts.rows} x {facts.cols}" in (root[1].text or "")
    width, height = (float(root.get(name, "0")) for name in ("width", "height"))
    for rect in root.iter(f"{SVG}rect"):
        right = float(rect.get("x", "0")) + float(rect.get("width", "0"))
        low = float(rect.get("y", "0")) + float(rect.get("height", "0"))
        assert right <= width
        assert low <= height


def test_a_picture_says_where_each_run_lies_and_how_much_of_it_is_wrong() -> None:
    root = ET.fromstring(svg(TAIL, "a < b & c"))  # noqa: S314 - our own text
    assert root[0].text == "a < b & c"
    told = [title.text for title in root.findall(f"{SVG}rect/{SVG}title")]
    assert told == [
        *(f"row {row}, columns 64 to 69: all" for row in range(4)),
        "row 4, columns 64 to 65: all",
        "row 4, columns 66 to 67: some",
        "row 4, columns 68 to 69: all",
    ]
    numbers = [text.text for text in root.iter(f"{SVG}text")]
    assert {"0", "16", "64", "4"} <= set(numbers)


def test_a_picture_has_colours_for_light_and_dark() -> None:
    text = svg(TAIL, "case")
    assert "prefers-color-scheme: dark" in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize(
    ("error", "titles"),
    [
        (None, []),
        ({"wrong": 1}, []),
        ({"map": {"rows": 1, "cols": 2, "cells": ["##"]}}, []),
        ({"map": {"rows": 1, "cols": 2, "cells": [".#"]}}, ["error map"]),
    ],
)
def test_a_report_gets_the_map_where_it_tells_something(
    make_record: Callable[..., Record], error: object, titles: list[str]
) -> None:
    found = sections(make_record(verdict="over", error=error))
    assert [title for title, _ in found] == titles


def test_millions_of_rows_leave_the_block_narrow() -> None:
    facts = ErrorMapFacts(rows=10485761, cols=127, cells=("1" * 64,) * 11)
    assert max(map(len, block(facts))) <= 72
