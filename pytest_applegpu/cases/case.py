"""A case: a problem, the data it is filled with, what is checked, and under which setting.

Its text is the pytest id, the filter, the baseline's key, the rerun command and the report's row:
`matmul-f16-nt-64x64x4096-b2x3 fill=integer tf32=off`. `check=` stands in it where it is not the
one that the fill is made for. A case of `check=card` has no fill: its questions bring numbers of
their own; nor has `flaw=inner check=refusal`, whose call MLX must refuse whatever the numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pytest_applegpu.forms.flaws.table import FLAWS, flaws_of
from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.operations.twins import why_alone
from pytest_applegpu.operations.ways import TRANSFORMS, why_untransformed
from pytest_applegpu.problem import Problem, parse_problem
from pytest_applegpu.setting import Setting

TWINS: Final = ("scaling", "rows", "view", "transposed")
"""Checks that make one product in two ways, and compare."""

CHECKS: Final = (
    "exact",
    "bounded",
    "projection",
    "isolation",
    "repeat",
    *TWINS,
    *TRANSFORMS,
    "refusal",
    "throughput",
    "card",
)
"""What a case can check; also the `kind` in the report log."""

NUMERIC: Final = frozenset(
    {"exact", "bounded", "projection", "isolation", "repeat", *TWINS, *TRANSFORMS}
)
"""Checks of a result's numbers."""

UNFLAWED: Final = ""
"""The flaw of a case whose call is a right one."""

UNFILLED: Final = ""
"""The fill of a case whose check brings numbers of its own."""

CARD_K: Final = 8
"""The least K that a feature card's questions can be put with."""

DEFAULT_FILL: Final = {
    "exact": "integer",
    "bounded": "normal",
    "projection": "integer",
    "isolation": "special",
    "repeat": "normal",
    **dict.fromkeys(TWINS, "normal"),
    **dict.fromkeys(TRANSFORMS, "integer"),
    "refusal": UNFILLED,
    "throughput": "normal",
    "card": UNFILLED,
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
    **dict.fromkeys(TWINS, _REAL),
    **dict.fromkeys(TRANSFORMS, _EXACT | _REAL),
    # What is mapped is held to calls one by one, and bits may differ where anything is rounded.
    "vmap": frozenset({"integer"}),
    "refusal": frozenset({UNFILLED}),
    "throughput": _EXACT | _REAL,
    "card": frozenset({UNFILLED}),
}
"""The fills that serve each check."""


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to run and judge.

    `flaw` names what spoils the call that `check=refusal` makes.

    Raises:
        ValueError: fill, flaw or problem do not serve the check, or no such fill, flaw or check
            exists.
    """

    problem: Problem
    fill: str
    check: str
    setting: Setting
    flaw: str = UNFLAWED

    def __post_init__(self) -> None:
        """Refuse a fill or a problem that could not serve the check."""
        if self.check not in CHECKS:
            raise ValueError(f"check={self.check} is not one of {', '.join(CHECKS)}")
        _check_flaw(self.flaw, self.check, self.problem)
        if self.check == "card":
            _check_askable(self.problem)
        elif self.check in TWINS:
            reason = why_alone(self.check, self.problem)
            if reason:
                raise ValueError(f"check={self.check} {reason}")
        elif self.check in TRANSFORMS:
            reason = why_untransformed(self.check, self.problem)
            if reason:
                raise ValueError(f"check={self.check} {reason}")
        elif not self.flaw and self.fill not in FILLS:
            raise ValueError(f"fill={self.fill} is not one of {', '.join(FILLS)}")
        if self.fill not in _FITTING[self.check]:
            fitting = [name for name in FILLS if name in _FITTING[self.check]]
            takes = f"fill={'|'.join(fitting)}" if fitting else "no fill"
            raise ValueError(f"check={self.check} takes {takes}, not {self.fill}")

    def __str__(self) -> str:
        """Text that parses back to the equal case."""
        return f"{self.data} {self.setting}"

    @property
    def data(self) -> str:
        """The text without the setting: cases that share it share their data."""
        if self.fill == UNFILLED:
            flaw = f" flaw={self.flaw}" if self.flaw else ""
            return f"{self.problem}{flaw} check={self.check}"
        check = "" if self.check == FILLS[self.fill].check else f" check={self.check}"
        return f"{self.problem} fill={self.fill}{check}"


def _check_askable(problem: Problem) -> None:
    """Refuse what a feature card cannot be asked with.

    Raises:
        ValueError: it is no plain product of matrices, or too small to add anything up.
    """
    if problem.op != "matmul" or "vec" in {problem.layout_a, problem.layout_b}:
        raise ValueError("check=card asks matmul of matrices")
    if problem.k < CARD_K or 0 in {problem.m, problem.n, *problem.batch}:
        raise ValueError(f"check=card takes K of at least {CARD_K}, and no size of 0")


def _check_flaw(flaw: str, check: str, problem: Problem) -> None:
    """Refuse a flaw where none is asked for, one that there is not, and one that does not fit.

    Raises:
        ValueError: the message names the word.
    """
    if (check == "refusal") != bool(flaw):
        raise ValueError("flaw= and check=refusal stand together, as in flaw=inner check=refusal")
    if not flaw:
        return
    if (problem.op, flaw) not in FLAWS:
        allowed = ", ".join(flaws_of(problem.op)) or "none"
        raise ValueError(f"flaw={flaw} is not one of {problem.op}'s: {allowed}")
    reason = FLAWS[problem.op, flaw].why_not(problem)
    if reason:
        raise ValueError(f"flaw={flaw} {reason}")


def parse_cases(text: str, settings: Iterable[Setting]) -> list[Case]:
    """Read `text`; without `tf32=` it means one case for each of `settings`.

    Raises:
        ValueError: the text is no case; the message names the part that is wrong.
    """
    words: list[str] = []
    said: dict[str, str] = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if equals and name in {"fill", "check", "flaw", "tf32", "arch", "nax"}:
            if name in said:
                raise ValueError(f"{name}= stands twice")
            said[name] = value
        else:
            words.append(word)
    problem = parse_problem(" ".join(words))
    fill, check = _fill_and_check(said.get("fill"), said.get("check"))
    flaw = said.get("flaw", UNFLAWED)
    return [Case(problem, fill, check, setting, flaw) for setting in _settings(said, settings)]


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
