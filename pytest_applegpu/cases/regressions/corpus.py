"""Which bugs are known of, and which of their cases does a run have?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from packaging.version import Version

from pytest_applegpu.cases.budget import cost
from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.cases.regressions.bug import Bug, Routed
from pytest_applegpu.cases.turns import in_turns
from pytest_applegpu.dtypes import DType
from pytest_applegpu.issues.entries import read_entries
from pytest_applegpu.setting import Setting

SHIPPED: Final = Path(__file__).with_name("corpus.toml")
"""The bugs that this product knows of."""

MOST: Final = {"smoke": 0.06, "standard": 3.0, "exhaustive": 600.0}
"""Seconds of computed cost that a case of a tier may take at the most."""


def read_bugs(path: Path) -> tuple[Bug, ...]:
    """Return the bugs that stand in a file.

    Raises:
        EntryFileError: the file cannot be read, is no TOML, or says what it cannot.
    """
    return read_entries(path, "bug", Bug, {"routed": Routed})


@cache
def shipped_bugs() -> tuple[Bug, ...]:
    """Return the bugs that this product knows of."""
    return read_bugs(SHIPPED)


def regression_cases(
    bugs: Iterable[Bug],
    backend: str,
    dtypes: tuple[DType, ...],
    *,
    tier: str,
    settings: tuple[Setting, ...],
    version: Version | None,
) -> Iterator[tuple[Bug, Case]]:
    """Yield the cases of `bugs` that a tier has room for, and that MLX `version` can be asked.

    In smoke a case is run under both TF32 settings where TF32 bears on it.
    """
    known = [bug for bug in bugs if version is None or version >= Version(bug.since or "0")]
    for turn in in_turns(settings):
        for bug in known:
            for case in _kept(bug.asked(turn), tier):
                if case.problem.dtype in dtypes and _cost(case, backend) <= MOST[tier]:
                    yield bug, case


def _kept(cases: list[Case], tier: str) -> Iterator[Case]:
    """Leave out what differs in TF32 alone, in smoke, where that makes no difference."""
    met: set[tuple[str, str | None, str]] = set()
    for case in cases:
        one = (case.data, case.setting.arch, case.setting.nax)
        if tier != "smoke" or case.problem.dtype.has_tf32 or one not in met:
            yield case
        met.add(one)


def _cost(case: Case, backend: str) -> float:
    return cost(case.problem, backend, referenced=case.check != "projection")


def bugs_of(case: Case) -> list[Bug]:
    """Return the shipped bugs that a case asks for, under whichever setting."""
    return _by_data().get(case.data, [])


@cache
def _by_data() -> dict[str, list[Bug]]:
    found: dict[str, list[Bug]] = {}
    for bug in shipped_bugs():
        for data in {case.data for text in bug.cases for case in parse_cases(text, [Setting()])}:
            found.setdefault(data, []).append(bug)
    return found
