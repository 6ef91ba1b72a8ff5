"""What does a file of known issues say?"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec import Struct

from pytest_applegpu.issues.entries import read_entries
from pytest_applegpu.issues.issue import Issue
from pytest_applegpu.issues.match import Match

SHIPPED: Final = Path(__file__).with_name("known.toml")
"""The issues of MLX that this product knows of."""


class File(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of known issues: a list of `[[issue]]`."""

    issue: list[Issue] = []


def read_issues(path: Path) -> tuple[Issue, ...]:
    """Return the issues that stand in a file.

    Raises:
        EntryFileError: the file cannot be read, is no TOML, or says what it cannot.
    """
    return read_entries(path, "issue", Issue, {"match": Match})
