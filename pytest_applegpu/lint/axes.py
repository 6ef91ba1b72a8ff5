"""Where in a line do the sizes of a problem stand, and how is one of them changed?

A size such as K stands in the shapes of several operands, which must change together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Line = Mapping[str, Any]

Place = tuple[str, int]
"""A field of a line and an index into the shape there, counted from the end."""

_STEP_OF_K: Final = 8


@dataclass(frozen=True, slots=True)
class Axis:
    """One size of a problem: its name, where it stands, and what it must be a multiple of."""

    name: str
    places: tuple[Place, ...]
    step: int = 1

    def of(self, line: Line) -> int:
        """Return the size in a line."""
        field, index = self.places[0]
        size: int = line[field][index]
        return size

    def resized(self, line: Line, size: int) -> dict[str, Any]:
        """Return the line with another size."""
        changed = dict(line)
        for field, index in self.places:
            shape = list(changed[field])
            shape[index] = size
            changed[field] = shape
        return changed


def axes(line: Line) -> tuple[Axis, ...]:
    """Return the sizes that a line's problem has."""
    return tuple(axis for axis in _axes(line) if axis.of(line) > 0)


def _axes(line: Line) -> Iterator[Axis]:
    op = line["op"]
    if op == "sdpa":
        yield from _attention()
    elif "w_shape" in line:
        yield from _quantized(line)
    else:
        yield from _dense(line)
    for field in ("lhs_shape", "rhs_shape"):
        if line.get(field):
            yield from (Axis(f"{field}[{at}]", ((field, at),)) for at in _negative(line[field]))
    if line.get("segments_shape"):
        yield Axis("segments", (("segments_shape", -2),))


def _dense(line: Line) -> Iterator[Axis]:
    a, b, c = (line.get(f"{name}_shape", ()) for name in "abc")
    rows = (("a_shape", -2),) if len(a) > 1 else ()
    columns = (("b_shape", -1),) if len(b) > 1 else ()
    inner: tuple[Place, ...] = (("a_shape", -1), ("b_shape", -2 if len(b) > 1 else -1))
    if rows:
        yield Axis("M", _with_c(rows, a, c, -2))
    if columns:
        yield Axis("N", _with_c(columns, b, c, -1))
    yield Axis("K", inner)
    yield from _batch(line, "a_shape", "b_shape", "c_shape")


def _with_c(
    places: tuple[Place, ...], of: list[int], c: list[int], index: int
) -> tuple[Place, ...]:
    fits = len(c) >= -index and c[index] == of[places[0][1]] and c[index] != 1
    return (*places, ("c_shape", index)) if fits else places


def _batch(line: Line, *fields: str) -> Iterator[Axis]:
    """Yield the axes before the last two, those of several operands together where equal."""
    shapes = {field: line[field] for field in fields if line.get(field)}
    longest = max(map(len, shapes.values()))
    for at in range(-longest, -2):
        sizes = {field: shape[at] for field, shape in shapes.items() if len(shape) >= -at}
        for size in sorted(set(sizes.values()) - {1}):
            places = tuple((field, at) for field, of in sizes.items() if of == size)
            yield Axis(f"batch[{at}]", places)


def _quantized(line: Line) -> Iterator[Axis]:
    group, packed = line["group_size"], max(line["group_size"], 32)
    n, k = (-2, -1) if line["transpose"] else (-1, -2)
    whole = {True: (1, packed), False: (packed, _STEP_OF_K)}[line["transpose"]]
    if len(line["x_shape"]) > 1:
        yield Axis("M", (("x_shape", -2),))
    step_n, step_k = whole
    yield Axis("N", (("w_shape", n),), step_n if group else 1)
    yield Axis("K", (("x_shape", -1), ("w_shape", k)), step_k)
    yield from _batch(line, "x_shape", "w_shape")


def _attention() -> Iterator[Axis]:
    yield Axis("L", (("q_shape", -2),))
    yield Axis("S", (("k_shape", -2), ("v_shape", -2)))
    yield Axis("heads", (("q_shape", -3),))
    yield Axis("key heads", (("k_shape", -3), ("v_shape", -3)))
    yield Axis("batch", (("q_shape", 0), ("k_shape", 0), ("v_shape", 0)))


def _negative(shape: list[int]) -> range:
    return range(-len(shape), 0)


_GAPPED: Final = re.compile(r"[a-z]_layout")


def layouts(line: Line) -> list[str]:
    """Return the fields that say how operands lie."""
    return [field for field in line if _GAPPED.fullmatch(field)]
