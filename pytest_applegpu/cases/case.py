"""A case: a problem, the data it is filled with, what is checked, and under which setting.

Its text is the pytest id, the filter, the baseline's key, the rerun command and the report's row:
`matmul-f16-nt-64x64x4096-b2x3 fill=integer tf32=off`. `check=` stands in it where it is not the
one that the fill is made for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.problem import Problem, parse_problem
from pytest_applegpu.setting import Setting

CHECKS: Final = ("exact", "bounded", "projection", "isolation", "repeat", "throughput")
"""What a case can check; also the `kind` in the report log."""

DEFAULT_FILL: Final = {
    "exact": "integer",
    "bounded": "normal",
    "projection": "integer",
    "isolation": "special",
    "repeat": "normal",
    "throughput": "normal",
}
"""The fill that a check takes where none is said."""

_EXACT, _REAL = (
    frozenset(name for name, fill in FILLS.items() if fill.check == check)
    for check in ("exact", "bounded")
)

_FITTING: Final[dict[str, frozenset[str]]] = {
    "exact": _EXACT,
    "bounded": _REAL,
    # The projection is a sum of whole numbers, none of them rounded on output.
    "projection": frozenset({"integer", "cancel", "ones"}),
    "isolation": frozenset({"special"}),
    "repeat": _EXACT | _REAL,
    "throughput": _EXACT | _REAL,
}
"""The fills that serve each check."""


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to run and judge.

    Raises:
        ValueError: the fill does not serve the check, or one of them does not exist.
    """

    problem: Problem
    fill: str
    check: str
    setting: Setting

    def __post_init__(self) -> None:
        """Refuse a fill that could not serve the check."""
        if self.check not in CHECKS:
            raise ValueError(f"check={self.check} is not one of {', '.join(CHECKS)}")
        if self.fill not in FILLS:
            raise ValueError(f"fill={self.fill} is not one of {', '.join(FILLS)}")
        if self.fill not in _FITTING[self.check]:
            fitting = (name for name in FILLS if name in _FITTING[self.check])
            raise ValueError(f"check={self.check} takes fill={'|'.join(fitting)}, not {self.fill}")

    def __str__(self) -> str:
        """Text that parses back to the equal case."""
        return f"{self.data} {self.setting}"

    @property
    def data(self) -> str:
        """The text without the setting: cases that share it share their data."""
        check = "" if self.check == FILLS[self.fill].check else f" check={self.check}"
        return f"{self.problem} fill={self.fill}{check}"


def parse_cases(text: str, settings: Iterable[Setting]) -> list[Case]:
    """Read `text`; without `tf32=` it means one case for each of `settings`.

    Raises:
        ValueError: the text is no case; the message names the part that is wrong.
    """
    words: list[str] = []
    said: dict[str, str] = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if equals and name in {"fill", "check", "tf32", "arch", "nax"}:
            if name in said:
                raise ValueError(f"{name}= stands twice")
            said[name] = value
        else:
            words.append(word)
    problem = parse_problem(" ".join(words))
    fill, check = _fill_and_check(said.get("fill"), said.get("check"))
    return [Case(problem, fill, check, setting) for setting in _settings(said, settings)]


def _fill_and_check(fill: str | None, check: str | None) -> tuple[str, str]:
    if fill is None:
        return DEFAULT_FILL.get(check or "exact", "integer"), check or "exact"
    return fill, check or (FILLS[fill].check if fill in FILLS else "exact")


def _settings(said: dict[str, str], settings: Iterable[Setting]) -> list[Setting]:
    if "tf32" in said:
        return [Setting(said["tf32"], said.get("arch"), said.get("nax", "on"))]
    found = (
        Setting(one.tf32, said.get("arch", one.arch), said.get("nax", one.nax)) for one in settings
    )
    return list(dict.fromkeys(found))
