"""What is a known issue? A fault of MLX with its evidence, where it shows, and what it gives."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Final, Protocol

from msgspec import Struct, field
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion

from pytest_applegpu.issues.match import Match, Words, check_said, words
from pytest_applegpu.issues.subject import Place, Subject
from pytest_applegpu.options import BACKENDS
from pytest_applegpu.words import CARD, NUMBERS, SPEED

LEAST: Final = 3
"""Cases that must come out right in one run before a fault that comes and goes is called gone."""

VERDICTS: Final = tuple(
    word
    for word, outcome in {**NUMBERS, **SPEED, **CARD}.items()
    if outcome == "failed" and word != "no proof"
)
"""What an issue may be expected to give: `no proof` is a fault of the data, never of MLX."""

PLACES: Final = tuple(name for name in BACKENDS if name != "auto")
"""The backends where an issue may show."""

_ID: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)


class Issue(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fault of MLX that is known.

    Attributes:
        id: its name, words of lower-case letters and digits joined by hyphens.
        what: what happens, a sentence.
        link: where it is discussed; or
        evidence: what shows it, in words.
        verdict: what a case that shows it ends in; any of several.
        cause: a text that the named cause of such a case, or MLX's message, contains.
        sometimes: whether some of the cases come out right; else each must show it.
        enough: right cases of one run, and no other, after which it is gone (with `sometimes`).
        backend: where it shows. Without one: on every real one.
        mlx: versions that have it, as in `>=0.31.2,<0.33`.
        arch: architectures, and
        device: names of devices, both as patterns with `*` and `?`, in any case of letters.
        match: rules; the cases that any of them means.

    Raises:
        ValueError: a field holds what it cannot; the message names it and what is allowed.
    """

    id: str
    what: str
    verdict: Words
    match: list[Match]
    link: str | None = None
    evidence: str | None = None
    cause: str | None = None
    sometimes: bool = False
    enough: int | None = None
    backend: Words = field(default_factory=lambda: [one for one in PLACES if one != "emulated"])
    mlx: str = ""
    arch: Words | None = None
    device: Words | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check_id(self.id)
        if not self.match:
            raise ValueError("match: at least one [[issue.match]] is needed")
        _check_texts(self)
        check_words("verdict", self.verdict, VERDICTS)
        check_words("backend", self.backend, PLACES)
        check_said("arch", self.arch)
        check_said("device", self.device)
        _check_enough(self)
        versions(self.mlx)

    @property
    def source(self) -> str:
        """Where the issue is discussed, or what shows it."""
        return self.link or self.evidence or ""

    @property
    def right(self) -> int:
        """How many right cases, and no other, say that it is gone."""
        return (self.enough or LEAST) if self.sometimes else 1

    def shows(self, subject: Subject, place: Place) -> bool:
        """Tell whether a case that ran in `place` is to show the issue."""
        return is_at(self, place) and any(rule.holds(subject) for rule in self.match)

    def expects(self, verdict: str, said: str) -> bool:
        """Tell whether a case that ended in `verdict` shows it; `said` is its cause and message."""
        return verdict in words(self.verdict) and (self.cause or "") in said


class Where(Protocol):
    """What says where a fault shows."""

    @property
    def backend(self) -> Words: ...
    @property
    def mlx(self) -> str: ...
    @property
    def arch(self) -> Words | None: ...
    @property
    def device(self) -> Words | None: ...


def is_at(where: Where, place: Place) -> bool:
    """Tell whether a place is one of those where a fault shows."""
    return (
        place.backend in words(where.backend)
        and _covers(where.mlx, place.mlx)
        and _named(where.arch, place.arch)
        and _named(where.device, place.device)
    )


def check_id(text: str) -> None:
    """Refuse what is no name of an entry.

    Raises:
        ValueError: the message says what is.
    """
    if not _ID.fullmatch(text):
        raise ValueError(f"id {text!r} is not words of a-z and 0-9 joined by hyphens")


def versions(text: str) -> SpecifierSet:
    """Return the versions that `text` means.

    Raises:
        ValueError: it means none.
    """
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        raise ValueError(f"mlx {text!r} is not versions, as in `>=0.31.2,<0.33`") from None


def _check_texts(issue: Issue) -> None:
    if issue.link is None and issue.evidence is None:
        raise ValueError("link or evidence is needed: how is the issue known?")
    for name in ("what", "link", "evidence", "cause", "mlx"):
        text = getattr(issue, name)
        if text is not None and not text.strip() and name != "mlx":
            raise ValueError(f"{name} is empty")
        if text is not None and not text.isprintable():
            raise ValueError(f"{name} holds control characters: write it in one line")


def check_words(name: str, said: Words, allowed: tuple[str, ...]) -> None:
    """Refuse an empty list, and words that are not allowed.

    Raises:
        ValueError: the message names the field and what is allowed.
    """
    check_said(name, said)
    for word in words(said):
        if word not in allowed:
            raise ValueError(f"{name} {word!r} is not one of {', '.join(allowed)}")


def _check_enough(issue: Issue) -> None:
    if issue.enough is None:
        return
    if not issue.sometimes:
        raise ValueError("enough is for issues that show only `sometimes`")
    if not LEAST <= issue.enough <= 10**6:
        raise ValueError(f"enough {issue.enough} is not a whole number from {LEAST} to a million")


def _covers(text: str, version: str | None) -> bool:
    """Tell whether a version is one of those meant, as PEP 440 has it; nightly builds may be.

    A version that is not known is none of those meant, unless all are.
    """
    if not text or version is None:
        return not text
    try:
        return versions(text).contains(version, prereleases=True)
    except InvalidVersion:
        return False


def _named(patterns: Words | None, name: str | None) -> bool:
    """Tell whether any of the patterns, if there are any, means a name, in any case of letters."""
    if patterns is None:
        return True
    return name is not None and any(
        fnmatchcase(name.lower(), pattern.lower()) for pattern in words(patterns)
    )
