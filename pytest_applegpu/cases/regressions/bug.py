"""What is a bug of the corpus? A fault that was public, where it showed, and the cases that ask."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field
from packaging.version import InvalidVersion, Version

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.issues.issue import (
    PLACES,
    VERDICTS,
    check_id,
    check_words,
    is_at,
    versions,
)
from pytest_applegpu.issues.match import Words, check_said, words
from pytest_applegpu.issues.subject import Place
from pytest_applegpu.routing.versions import basis_of
from pytest_applegpu.setting import Setting

NONE: Final = "none"
"""Stands for versions: no release of MLX had the bug."""

GIVES: Final = (*(word for word in VERDICTS if word != "slower"), "unsupported")
"""What a version that has the bug may end a case in."""

_OTHERS: Final = frozenset({"throughput", "card"})
"""Checks that are not about a result."""

_SITES: Final = ("https://github.com/",)


class Routed(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The path of MLX's dispatch that had the bug: each case goes down it on `arch` with `mlx`.

    `path` is one of the parts of a route's label, as in `copy+gemv`.

    Raises:
        ValueError: there are no rules for the version.
    """

    path: str
    arch: str
    mlx: str

    def __post_init__(self) -> None:
        """Refuse a version whose dispatch is not known."""
        basis_of(self.mlx)


class Bug(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A public bug.

    Attributes:
        id: its name: project and number of the issue, and what it is about, joined by hyphens.
        what: what happened, a sentence.
        link: where it was discussed or mended, on GitHub; or
        evidence: what shows it, in words.
        mlx: versions that have it, as in `>=0.31.2,<0.32`, or `none`.
        backend: where it shows.
        arch: architectures, and
        device: names of devices, both as patterns with `*` and `?`.
        only: what else a build or machine needs to have it; a right result tells nothing then.
        gives: what at least one case ends in where it shows; any of several.
        cases: texts of the cases.
        since: the first version that has what the cases call.
        seen: where it was seen by these cases, in words.
        gap: whether MLX calls it a gap of the backend; where it shows it is `raised` all the same,
            since a release that closed it is known.
        routed: the path that had it, where it was one of Metal's.

    Raises:
        ValueError: a field holds what it cannot; the message names it and what is allowed.
    """

    id: str
    what: str
    mlx: str
    backend: Words
    gives: Words
    cases: list[str]
    seen: str
    link: str | None = None
    evidence: str | None = None
    arch: Words | None = None
    device: Words | None = None
    only: str | None = None
    since: str | None = None
    gap: bool = False
    routed: list[Routed] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check_id(self.id)
        check_words("backend", self.backend, PLACES)
        check_words("gives", self.gives, GIVES)
        check_said("arch", self.arch)
        check_said("device", self.device)
        if self.mlx != NONE:
            versions(self.mlx)
        _check_since(self.since)
        _check_source(self)
        if not self.cases:
            raise ValueError("cases: at least one is needed")
        for text in self.cases:
            _check_case(text)

    @property
    def source(self) -> str:
        """Where the bug was discussed, or what shows it."""
        return self.link or self.evidence or ""

    def concerns(self, backend: str) -> bool:
        """Tell whether the bug is one of a backend's."""
        return backend in words(self.backend)

    def affects(self, place: Place) -> bool:
        """Tell whether the bug is there in a place."""
        return self.mlx != NONE and is_at(self, place)

    def asked(self, settings: tuple[Setting, ...]) -> list[Case]:
        """Return the cases, under those settings that they do not exclude."""
        found = (case for text in self.cases for case in parse_cases(text, settings))
        return [case for case in found if case.setting in settings]


def _check_since(text: str | None) -> None:
    try:
        Version(text or "0")
    except InvalidVersion:
        raise ValueError(f"since {text!r} is not a version, as in 0.30.0") from None


def _check_source(bug: Bug) -> None:
    if (bug.link is None) == (bug.evidence is None):
        raise ValueError("link or evidence is needed, one of them: how is the bug known?")
    if bug.link is not None and not bug.link.startswith(_SITES):
        raise ValueError(f"link {bug.link!r} does not begin with {' or '.join(_SITES)}")
    for name in ("what", "evidence", "seen", "only"):
        text = getattr(bug, name)
        if text is not None and not (text.strip() and text.isprintable()):
            raise ValueError(f"{name} is empty or holds control characters")


def _check_case(text: str) -> None:
    """Refuse what is no case, or none of a result.

    Raises:
        ValueError: the message has the text.
    """
    try:
        cases = parse_cases(text, [Setting()])
    except ValueError as error:
        raise ValueError(f"cases: {text!r}: {error}") from None
    if any(case.check in _OTHERS for case in cases):
        raise ValueError(f"cases: {text!r} asks for no result")
