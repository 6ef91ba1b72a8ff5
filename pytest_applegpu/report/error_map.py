"""How is the map of the wrong elements drawn: as characters, and as a picture?

Cells follow one another in steps of a power of two, the smallest with which the matrix fits into
as many cells as there are; the last one may be cut off by the matrix's edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final
from xml.sax.saxutils import escape

from pytest_applegpu.report.phrases import escaped, index
from pytest_applegpu.report.records import ErrorMapFacts, Record

LEGEND: Final = ". none wrong   1 to 9 so many tenths of them   # all"

_TICK: Final = 8
"""Cells from one number along an edge to the next."""

_UNITS: Final = ((1, ""), (1 << 10, "K"), (1 << 20, "M"))
"""What numbers along an axis are written in: of a long axis, all edges are multiples of 1024."""

_WIDEST: Final = 72

_LONGEST: Final = 99_999
"""Largest number that is written out."""


def sections(record: Record) -> list[tuple[str, str]]:
    """Return the titled sections that a test's report gets beside the failure text.

    A map on which all is wrong shows no more than that, and is left out.
    """
    facts = record.error.map if record.error else None
    if facts is None or set("".join(facts.cells)) == {"#"}:
        return []
    return [("error map", "\n".join(block(facts)))]


@dataclass(frozen=True, slots=True)
class _Axis:
    """Cells along one axis: `count` of them over `size` elements."""

    size: int
    count: int

    @property
    def step(self) -> int:
        """Elements of a cell."""
        return 1 << max(-(-self.size // max(self.count, 1)) - 1, 0).bit_length()

    def edge(self, cell: int) -> int:
        """Element at which a cell begins."""
        return min(cell * self.step, self.size)

    def span(self, first: int, stop: int, word: str) -> str:
        """Name the elements of cells from `first` to before `stop`."""
        start, last = self.edge(first), self.edge(stop) - 1
        return f"{word} {start}" if last <= start else f"{word}s {start} to {last}"

    def number(self, cell: int) -> str:
        """Write the element at which a cell begins."""
        # A letter takes the place of a digit: numbers have five characters at the most.
        fitting = (one for one in _UNITS if self.size <= _LONGEST // (10 if one[1] else 1) * one[0])
        unit, letter = next(fitting, _UNITS[-1])
        edge = self.edge(cell)
        return f"{edge // unit}{letter}" if edge else "0"


def _axes(facts: ErrorMapFacts) -> tuple[_Axis, _Axis]:
    across = max(map(len, facts.cells), default=0)
    return _Axis(facts.rows, len(facts.cells)), _Axis(facts.cols, across)


def _what(facts: ErrorMapFacts) -> tuple[str, str]:
    """Say which matrix is drawn, and of what size a cell is."""
    down, across = _axes(facts)
    where = f" at {index(facts.batch)} of the batch" if facts.batch else ""
    less = any(axis.size % axis.step for axis in (down, across))
    cell = f"{down.step} x {across.step} elements" if down.step * across.step > 1 else "an element"
    matrix = f"the matrix{where}, {facts.rows} x {facts.cols}"
    return matrix, f"a character is {cell}{', less at the edge' if less else ''}"


# Characters.


def block(facts: ErrorMapFacts) -> list[str]:
    """Return the map as lines of at most 72 ASCII characters.

    Numbers are those of the row at which a line begins, and of the column under which they begin;
    `+` in the border marks those columns.
    """
    down, across = _axes(facts)
    numbers = [down.number(row) for row in range(down.count)]
    margin = max(map(len, numbers), default=1)
    border = " " * margin + f" {_border(across.count)}"
    body = [
        f"{number:>{margin}} |{cells:<{across.count}}|"
        for number, cells in zip(numbers, facts.cells, strict=True)
    ]
    ruler = " " * (margin + 2) + _ruler(across)
    return [*(line[:_WIDEST] for line in _what(facts)), ruler, border, *body, border, LEGEND]


def _border(count: int) -> str:
    line = "".join("-" if cell % _TICK else "+" for cell in range(count))
    return f"-{line}-"


def _ruler(across: _Axis) -> str:
    ticks = range(0, across.count, _TICK)
    return "".join(f"{across.number(cell):<{_TICK}}" for cell in ticks).rstrip()


# A picture.

_SIDE: Final = 12
"""Pixels of a cell across; down it is as much higher as its elements are more, within limits."""

_LOWEST, _HIGHEST = 8, 28
_LEFT, _TOP, _RIGHT = 56, 64, 24
_NARROWEST: Final = 400
_LETTER: Final = 8
"""Pixels that a letter of the title may take."""

_STYLE: Final = """
.em-page { fill: #ffffff } .em-matrix { fill: #f0f2f5; stroke: #57606a }
.em-text { fill: #1f2328; font: 11px ui-monospace, Menlo, Consolas, monospace }
.em-head { font-weight: 600; font-size: 13px }
.em-tick { stroke: #57606a } .em-bad { fill: #b3261e }
@media (prefers-color-scheme: dark) {
.em-page { fill: #0d1117 } .em-matrix { fill: #21262d; stroke: #8b949e }
.em-text { fill: #e6edf3 } .em-tick { stroke: #8b949e } .em-bad { fill: #ff7b72 }
}
"""


def svg(facts: ErrorMapFacts, title: str) -> str:
    """Return the map as an SVG document that needs nothing else.

    `title` names the case. Every run of like cells says where it lies when it is pointed at.
    """
    name = escaped(title)
    picture = _Picture(facts, name, *_axes(facts))
    what = ", ".join(_what(facts)).replace("character", "cell")
    parts = (
        f"<title>{escape(name)}</title>",
        f"<desc>{escape(f'Where the wrong elements lie: {what}')}</desc>",
        f"<style>{_STYLE}</style>",
        f'<rect class="em-page" width="{picture.width}" height="{picture.height}"/>',
        _text(_LEFT, 20, name, "em-text em-head"),
        _text(_LEFT, 38, what),
        picture.matrix(),
        *picture.runs(),
        *picture.numbers(),
        *picture.legend(),
    )
    size = f'viewBox="0 0 {picture.width} {picture.height}"'
    size += f' width="{picture.width}" height="{picture.height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>'
    return "\n".join((head, *parts, "</svg>")) + "\n"


def _text(x: float, y: float, text: str, kind: str = "em-text", anchor: str = "start") -> str:
    place = f'class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}"'
    return f"<text {place}>{escape(text)}</text>"


def _line(x: float, y: float, dx: int, dy: int) -> str:
    return f'<path class="em-tick" d="M{x:g} {y:g}l{dx} {dy}"/>'


def _opacity(letter: str) -> float:
    """Return how strongly a cell is coloured: all of it strongest, a few still to be seen."""
    return 1.0 if letter == "#" else 0.25 + 0.06 * int(letter) if letter.isdigit() else 0.0


@dataclass(frozen=True, slots=True)
class _Picture:
    """The map in pixels."""

    facts: ErrorMapFacts
    name: str
    down: _Axis
    across: _Axis

    @property
    def cell(self) -> float:
        """Height of a cell."""
        return min(max(_SIDE * self.down.step / self.across.step, _LOWEST), _HIGHEST)

    @property
    def right(self) -> float:
        """Right edge of the matrix."""
        return _LEFT + self.across.count * _SIDE

    @property
    def bottom(self) -> float:
        """Lower edge of the matrix."""
        return _TOP + self.down.count * self.cell

    @property
    def width(self) -> int:
        """Of the whole picture: its title must fit."""
        return int(max(self.right, _LEFT + _LETTER * len(self.name), _NARROWEST) + _RIGHT)

    @property
    def height(self) -> int:
        """Of the whole picture, with its legend."""
        return int(self.bottom + 44)

    def matrix(self) -> str:
        """Return the matrix, as if nothing were wrong."""
        size = f'width="{self.right - _LEFT:g}" height="{self.bottom - _TOP:g}"'
        return f'<rect class="em-matrix" x="{_LEFT}" y="{_TOP}" {size}/>'

    def runs(self) -> Iterator[str]:
        """Yield each run of like cells that hold something wrong."""
        for row, cells in enumerate(self.facts.cells):
            first = 0
            for letter, group in groupby(cells):
                stop = first + len(list(group))
                if _opacity(letter):
                    yield self._run(row, first, stop, letter)
                first = stop

    def _run(self, row: int, first: int, stop: int, letter: str) -> str:
        share = "all" if letter == "#" else f"{letter} tenths" if letter > "1" else "some"
        where = f"{self.down.span(row, row + 1, 'row')}, {self.across.span(first, stop, 'column')}"
        x, y = _LEFT + first * _SIDE, _TOP + row * self.cell
        size = f'width="{(stop - first) * _SIDE}" height="{self.cell:g}"'
        look = f'class="em-bad" fill-opacity="{_opacity(letter):.2f}"'
        return f'<rect {look} x="{x}" y="{y:g}" {size}><title>{where}: {share}</title></rect>'

    def numbers(self) -> Iterator[str]:
        """Yield the element at which cells begin, along the upper and the left edge."""
        for cell in range(0, self.across.count, _TICK):
            x = _LEFT + cell * _SIDE
            yield _line(x, _TOP - 5, 0, 5)
            yield _text(x, _TOP - 9, self.across.number(cell), anchor="middle")
        for cell in range(0, self.down.count, 1 if self.cell >= _SIDE else 2):
            y = _TOP + cell * self.cell
            yield _line(_LEFT - 5, y, 5, 0)
            yield _text(_LEFT - 9, y + 4, self.down.number(cell), anchor="end")

    def legend(self) -> Iterator[str]:
        """Yield what the colours say."""
        x, y = float(_LEFT), self.bottom + 18
        for letter, text in (("1", "a few"), ("5", "half"), ("#", "all wrong")):
            look = f'class="em-bad" fill-opacity="{_opacity(letter):.2f}"'
            yield f'<rect {look} x="{x:g}" y="{y:g}" width="{_SIDE}" height="{_SIDE}"/>'
            yield _text(x + _SIDE + 6, y + 10, text)
            x += _SIDE + 26 + 7 * len(text)
