"""What does a file of known issues say? Read strictly: whatever is amiss is one clear message."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, ValidationError, convert

from pytest_applegpu.issues.issue import Issue
from pytest_applegpu.issues.match import Match

SHIPPED: Final = Path(__file__).with_name("known.toml")
"""The issues of MLX that this product knows of."""

MOST: Final = 1 << 20
"""Bytes of the largest file that is read."""

LONGEST: Final = 2000
"""Characters of the longest line: keys of thousands of dotted parts take minutes to read."""

_PLACE: Final = re.compile(r" - at `\$\.?(.*?)`$")


class IssueFileError(Exception):
    """A file of known issues cannot be read; the message names file, entry and field."""


class File(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of known issues: a list of `[[issue]]`."""

    issue: list[Issue] = []


def read_issues(path: Path) -> tuple[Issue, ...]:
    """Return the issues that stand in a file.

    Raises:
        IssueFileError: the file cannot be read, is no TOML, or says what it cannot.
    """
    try:
        return _issues(tomllib.loads(_text(path)))
    except tomllib.TOMLDecodeError as error:
        raise IssueFileError(f"{path}: not valid TOML: {error}") from None
    except RecursionError:
        raise IssueFileError(f"{path}: nested too deeply") from None
    except ValueError as error:  # bytes that are no UTF-8, a number of thousands of digits
        raise IssueFileError(f"{path}: {error}") from None


def _text(path: Path) -> str:
    """Return the text of a file.

    Raises:
        IssueFileError: it is no file, cannot be read, or is too large.
        ValueError: it is no UTF-8, or has a line that is too long.
    """
    try:
        if not path.is_file():
            raise IssueFileError(f"{path}: there is no such file")
        if path.stat().st_size > MOST:
            raise IssueFileError(f"{path}: larger than {MOST} bytes")
        text = path.read_text("utf-8")
    except OSError as error:
        raise IssueFileError(f"{path}: {error.strerror or error}") from None
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST:
            raise ValueError(f"line {number} is longer than {LONGEST} characters")
    return text


def _issues(plain: dict[str, Any]) -> tuple[Issue, ...]:
    """Return the issues of a file's plain values.

    Raises:
        ValueError: they are none, or two have the same id.
    """
    others = sorted(set(plain) - {"issue"})
    if others:
        raise ValueError(f"{others[0]!r} is not known here: the file holds [[issue]] alone")
    entries = plain.get("issue", [])
    if not isinstance(entries, list):
        raise ValueError("issue is no list: write [[issue]]")  # noqa: TRY004 - about a file
    found: dict[str, Issue] = {}
    for place, entry in enumerate(entries, 1):
        one = _issue(entry, place)
        if one.id in found:
            raise ValueError(f"entry {place}: the id {one.id!r} stands twice")
        found[one.id] = one
    return tuple(found.values())


def _issue(entry: Any, place: int) -> Issue:
    """Return one entry.

    Raises:
        ValueError: it is none; the message names it by its id, else by its place.
    """
    try:
        return convert(entry, Issue)
    except ValidationError as error:
        said = entry.get("id") if isinstance(entry, dict) else None
        name = ascii(said[:80]) if isinstance(said, str) else str(place)
        raise ValueError(f"entry {name}: {_in_words(str(error))}") from None


def _in_words(message: str) -> str:
    """Put the place of an error first, and say what is allowed where a field is unknown."""
    where = _PLACE.search(message)
    field = where[1] if where else ""
    text = message[: where.start()] if where else message
    if "unknown field" in text:
        fields = Match if field.startswith("match") else Issue
        text += f", known are {', '.join(fields.__struct_fields__)}"
    return f"{field}: {text}" if field else text
