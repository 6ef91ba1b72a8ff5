"""What does a file of shapes say? TOML, read and checked entry by entry."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_applegpu.problem import Problem, parse_problem
from pytest_applegpu.shapes.shapes import PHASES, Left, Shape, ShapesError, ShapeSet

_SET: Final = ("name", "source", "how", "tokens", "problem", "left_out")
_SHAPE: Final = ("case", "count", "phase", "part", "within", "note")
_LEFT: Final = ("call", "reason", "count")


def read_shapes(path: Path) -> ShapeSet:
    """Read the set in the file at `path`.

    Raises:
        ShapesError: it cannot be read or is no set; the message names the file, the entry by its
            number and the field, and what is allowed.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise ShapesError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ShapesError(f"{path} is not text in UTF-8") from None
    try:
        return parse_shapes(text, path.stem)
    except ShapesError as error:
        raise ShapesError(f"{path}: {error}") from None


def parse_shapes(text: str, name: str) -> ShapeSet:
    """Read a set from its text; `name` is its name where it says none.

    Raises:
        ShapesError: the message names the entry by its number, the field, and what is allowed.
    """
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ShapesError(f"it is not TOML: {error}") from None
    _refuse_unknown(said, _SET)
    entries = _tables(said, "problem")
    if not entries:
        raise ShapesError("it has no problems: write a [[problem]] with a case for each")
    return ShapeSet(
        name=_words(said, "name") or name,
        source=_words(said, "source"),
        shapes=tuple(_numbered("problem", entries, _shape)),
        left=tuple(_numbered("left_out", _tables(said, "left_out"), _left)),
        how=_words(said, "how"),
        tokens=_whole(said, "tokens") if "tokens" in said else 0,
    )


def _numbered(name: str, entries: Sequence[Any], read: Any) -> list[Any]:
    found = []
    for number, entry in enumerate(entries, 1):
        try:
            found.append(read(entry))
        except ShapesError as error:
            raise ShapesError(f"{name} {number}: {error}") from None
    return found


def _shape(entry: Mapping[str, Any]) -> Shape:
    _refuse_unknown(entry, _SHAPE)
    return Shape(
        problem=_problem(entry),
        count=_whole(entry, "count"),
        phase=_phase(entry),
        part=_words(entry, "part"),
        within=_within(entry),
        note=_words(entry, "note"),
    )


def _left(entry: Mapping[str, Any]) -> Left:
    _refuse_unknown(entry, _LEFT)
    return Left(_words(entry, "call"), _words(entry, "reason"), _whole(entry, "count"))


def _problem(entry: Mapping[str, Any]) -> Problem:
    text = _words(entry, "case")
    if not text:
        raise ShapesError("case: there is none; write it as in matmul-f16-nt-512x4096x4096")
    for word in text.split():
        if word.partition("=")[0] in {"fill", "check", "tf32", "arch", "nax"}:
            raise ShapesError(f"case: {word} says how it is run, which a set leaves to the run")
    try:
        return parse_problem(text)
    except ValueError as error:
        raise ShapesError(f"case: {error}") from None


def _whole(entry: Mapping[str, Any], name: str) -> int:
    """Return a whole number, 1 where it is not said."""
    said = entry.get(name, 1)
    if not isinstance(said, int) or isinstance(said, bool) or said < 1:
        raise ShapesError(f"{name}: {said!r} is not a whole number from 1 on")
    return said


def _phase(entry: Mapping[str, Any]) -> str:
    phase = entry.get("phase", "")
    if phase not in {"", *PHASES}:
        raise ShapesError(f"phase: {phase!r} is not one of {', '.join(PHASES)}")
    return str(phase)


def _within(entry: Mapping[str, Any]) -> tuple[str, ...]:
    within = entry.get("within", [])
    if not isinstance(within, list) or not all(isinstance(one, str) for one in within):
        raise ShapesError(f"within: {within!r} is not a list of words")
    return tuple(within)


def _words(entry: Mapping[str, Any], name: str) -> str:
    text = entry.get(name, "")
    if not isinstance(text, str):
        raise ShapesError(f"{name}: {text!r} is not text")
    return text.strip()


def _tables(said: Mapping[str, Any], name: str) -> list[Any]:
    tables = said.get(name, [])
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise ShapesError(f"{name}: it is not a list of tables: write [[{name}]]")
    return tables


def _refuse_unknown(entry: Mapping[str, Any], allowed: tuple[str, ...]) -> None:
    for name in entry:
        if name not in allowed:
            raise ShapesError(f"{name}: it is not one of {', '.join(allowed)}")
