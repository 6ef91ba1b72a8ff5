"""How is a set of shapes written down? As TOML that reads back to the equal set."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from pytest_applegpu.shapes.shapes import Left, Shape, ShapeSet

Value = str | int | tuple[str, ...]


def shapes_text(found: ShapeSet) -> str:
    """Return the text of a file that `read_shapes` reads back."""
    head = (
        ("name", found.name),
        ("source", found.source),
        ("how", found.how),
        ("tokens", found.tokens),
    )
    blocks = [
        "\n".join(_lines(head)),
        *(_table("problem", _shape(one)) for one in found.shapes),
        *(_table("left_out", _left(one)) for one in found.left),
    ]
    return "\n\n".join(blocks) + "\n"


def _table(name: str, pairs: Iterable[tuple[str, Value]]) -> str:
    return "\n".join([f"[[{name}]]", *_lines(pairs)])


def _shape(one: Shape) -> tuple[tuple[str, Value], ...]:
    return (
        ("case", str(one.problem)),
        ("count", one.count),
        ("phase", one.phase),
        ("part", one.part),
        ("within", one.within),
        ("note", one.note),
    )


def _left(one: Left) -> tuple[tuple[str, Value], ...]:
    return (("call", one.call), ("reason", one.reason), ("count", one.count))


def _lines(pairs: Iterable[tuple[str, Value]]) -> Iterator[str]:
    """Yield what is said: what is empty is left out."""
    return (f"{name} = {_value(value)}" for name, value in pairs if value not in {"", (), 0})


def _value(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    # A string of JSON is one of TOML's too, but for the one control character that JSON lets be.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
