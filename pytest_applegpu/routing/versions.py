"""Which version's rules hold for an MLX, and how are they known?

Dispatch was recorded for some releases. Between two of them the older one's rules hold, unless
release notes and the shipped library say at which release a rule changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Generic, TypeVar

from packaging.version import InvalidVersion, Version

RECORDED: Final = ("0.29.3", "0.30.0", "0.30.6", "0.31.2", "0.32.1", "0.32.2", "0.32.4")
"""Releases whose own dispatch was recorded."""

TABLED: Final = ("0.32.3",)
"""Releases between two recorded ones for which it is known which rules changed when."""

NEWEST: Final = RECORDED[-1]
"""The newest release whose rules are known."""

OLDEST: Final = Version("0.29.0")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Basis:
    """The release whose rules are used, and in words how they are known."""

    rules: str
    words: str


@cache
def basis_of(version: str) -> Basis:
    """Return which release's rules hold for `version`.

    Raises:
        ValueError: the text is no version, or one before 0.29.
    """
    asked = _parsed(version)
    if asked < OLDEST:
        raise ValueError(f"MLX {version} is older than {OLDEST}: its dispatch is not known")
    release = Version(asked.base_version)
    known = sorted((*RECORDED, *TABLED), key=Version)
    rules = next((one for one in reversed(known) if Version(one) <= release), known[0])
    return Basis(rules, _words(asked, rules, newest=known[-1]))


def _parsed(version: str) -> Version:
    try:
        found = Version(version)
    except InvalidVersion:
        found = None
    if found is None or version != version.strip():
        raise ValueError(f"MLX version {version!r} is not a version such as 0.32.4")
    return found


def _words(asked: Version, rules: str, newest: str) -> str:
    exact = str(asked) == rules
    if exact:
        return "recorded" if rules in RECORDED else "tables of what changed, not recorded"
    if asked.base_version == rules:
        return f"not recorded: a build of {rules}, whose rules are used"
    if asked > Version(newest):
        return f"extrapolated: the rules of {rules}, the newest known"
    if asked < Version(rules):
        return f"extrapolated: the rules of {rules}, the oldest known"
    return f"not recorded: the rules of {rules}, the release known before it"


@dataclass(frozen=True)
class ByVersion(Generic[T]):
    """A table of rules: those of the oldest release, and what each later one changed.

    `first` is a frozen dataclass; `changes` maps a release to the fields that it changed.
    """

    first: T
    changes: Mapping[str, Mapping[str, Any]]

    def at(self, version: str) -> T:
        """Return the rules that hold for `version`.

        Raises:
            ValueError: as `basis_of`.
        """
        rules: T = _at(self, basis_of(version).rules)
        return rules

    def __hash__(self) -> int:
        """Tables are constants: each is itself alone."""
        return id(self)

    def __eq__(self, other: object) -> bool:
        """Tables are constants: each is itself alone."""
        return self is other


@cache
def _at(table: ByVersion[Any], release: str) -> Any:
    rules = table.first
    for since in sorted(table.changes, key=Version):
        if Version(since) <= Version(release):
            rules = replace(rules, **table.changes[since])
    return rules
