"""What does a TOML file of entries say? Read strictly: whatever is amiss is one clear message."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from msgspec import Struct, ValidationError, convert

MOST: Final = 1 << 20
"""Bytes of the largest file that is read."""

LONGEST: Final = 2000
"""Characters of the longest line: keys of thousands of dotted parts take minutes to read."""

_PLACE: Final = re.compile(r" - at `\$\.?(.*?)`$")


class EntryFileError(Exception):
    """A file of entries cannot be read; the message names file, entry and field."""


class Named(Protocol):
    """What an entry has."""

    @property
    def id(self) -> str: ...


Entry = TypeVar("Entry", bound=Named)


def read_entries(
    path: Path, table: str, kind: type[Entry], parts: dict[str, type[Struct]]
) -> tuple[Entry, ...]:
    """Return the entries of a file that holds a list of `[[table]]` and nothing else.

    `parts` are the types of tables inside of an entry, by their names there.

    Raises:
        EntryFileError: the file cannot be read, is no TOML, or says what it cannot.
    """
    try:
        plain = tomllib.loads(_text(path))
        return _entries(plain, table, lambda entry, place: _entry(entry, place, kind, parts))
    except tomllib.TOMLDecodeError as error:
        raise EntryFileError(f"{path}: not valid TOML: {error}") from None
    except RecursionError:
        raise EntryFileError(f"{path}: nested too deeply") from None
    except ValueError as error:  # bytes that are no UTF-8, a number of thousands of digits
        raise EntryFileError(f"{path}: {error}") from None


def _text(path: Path) -> str:
    """Return the text of a file.

    Raises:
        EntryFileError: it is no file, cannot be read, or is too large.
        ValueError: it is no UTF-8, or has a line that is too long.
    """
    try:
        if not path.is_file():
            raise EntryFileError(f"{path}: there is no such file")
        if path.stat().st_size > MOST:
            raise EntryFileError(f"{path}: larger than {MOST} bytes")
        text = path.read_text("utf-8")
    except OSError as error:
        raise EntryFileError(f"{path}: {error.strerror or error}") from None
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST:
            raise ValueError(f"line {number} is longer than {LONGEST} characters")
    return text


def _entries(
    plain: dict[str, Any], table: str, read: Callable[[Any, int], Entry]
) -> tuple[Entry, ...]:
    """Return the entries of a file's plain values, each read from its value and its place.

    Raises:
        ValueError: they are none, or two have the same id.
    """
    others = sorted(set(plain) - {table})
    if others:
        raise ValueError(f"{others[0]!r} is not known here: the file holds [[{table}]] alone")
    entries = plain.get(table, [])
    if not isinstance(entries, list):
        raise ValueError(f"{table} is no list: write [[{table}]]")  # noqa: TRY004 - about a file
    found: dict[str, Entry] = {}
    for place, entry in enumerate(entries, 1):
        one = read(entry, place)
        if one.id in found:
            raise ValueError(f"entry {place}: the id {one.id!r} stands twice")
        found[one.id] = one
    return tuple(found.values())


def _entry(entry: Any, place: int, kind: type[Entry], parts: dict[str, type[Struct]]) -> Entry:
    """Return one entry.

    Raises:
        ValueError: it is none; the message names it by its id, else by its place.
    """
    try:
        return convert(entry, kind)
    except ValidationError as error:
        said = entry.get("id") if isinstance(entry, dict) else None
        name = ascii(said[:80]) if isinstance(said, str) else str(place)
        raise ValueError(f"entry {name}: {_in_words(str(error), kind, parts)}") from None


def _in_words(message: str, kind: type[Any], parts: dict[str, type[Struct]]) -> str:
    """Put the place of an error first, and say what is allowed where a field is unknown."""
    where = _PLACE.search(message)
    field = where[1] if where else ""
    text = message[: where.start()] if where else message
    if "unknown field" in text:
        within = parts.get(re.split(r"[.\[]", field)[0], kind)
        text += f", known are {', '.join(within.__struct_fields__)}"
    return f"{field}: {text}" if field else text
