"""Which of the suite's problems change kernel between two MLX versions?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tabulate import tabulate

from pytest_applegpu.cases.plan import numeric_cases
from pytest_applegpu.cases.speed import speed_cases
from pytest_applegpu.dtypes import DType
from pytest_applegpu.problem import Problem
from pytest_applegpu.routing.launch import Launch, Route
from pytest_applegpu.routing.problem_calls import CALLS
from pytest_applegpu.routing.problems import predict, why_unknown
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.setting import Setting

_ALIGNED: Final = ("left", "left", "left", "left", "right", "left")

Asked = tuple[Problem, Setting]
"""A problem of the suite and the setting it runs under."""


@dataclass(frozen=True, slots=True)
class Change:
    """A problem that takes other launches in the newer of two versions."""

    problem: Problem
    setting: Setting
    old: Route
    new: Route

    @property
    def text(self) -> str:
        """The case's text without its data."""
        return f"{self.problem} {self.setting}"

    @property
    def what(self) -> str:
        """What is another: the kernels, or only how they are launched."""
        return "kernels" if self.old.kernels != self.new.kernels else "launches"

    def as_json(self) -> dict[str, Any]:
        """Return the change as one object of the JSON lines."""
        return {
            "problem": str(self.problem),
            "dtype": self.problem.dtype.name,
            "tf32": self.setting.tf32 == "on",
            "changed": self.what,
            "old": _side(self.old),
            "new": _side(self.new),
        }


def _side(route: Route) -> dict[str, Any]:
    said: dict[str, Any] = {"path": route.path, "basis": route.basis}
    if route.error is not None:
        return said | {"error": route.error}
    return said | {"launches": [launch.as_json() for launch in route.launches]}


def suite_problems(
    gpu: Gpu, versions: Sequence[str], tier: str, tf32: Iterable[str], dtypes: tuple[DType, ...]
) -> list[Asked]:
    """Return what the suites run on a Mac with `gpu` under any of `versions`, each once.

    Boundaries are those of the dispatch of all of them. Problems whose dispatch is not known are
    left out.

    Raises:
        ValueError: a version has no rules, or the architecture is none.
    """
    settings = [Setting(mode) for mode in tf32]
    targets = [
        gpu.target(tf32=one.tf32 == "on", version=version)
        for version in versions
        for one in settings
    ]
    found: dict[Asked, None] = {}
    for op in CALLS:
        numeric = numeric_cases(
            op, "metal", dtypes, tier=tier, seed=0, settings=settings, targets=targets
        )
        timed = speed_cases(op, "metal", dtypes, tier, settings)
        found |= {(case.problem, case.setting): None for case in (*numeric, *timed)}
    return [one for one in found if not why_unknown(one[0])]


def changes(problems: Iterable[Asked], gpu: Gpu, old: str, new: str) -> list[Change]:
    """Return those of `problems` that are launched otherwise by MLX `new` than by `old`.

    Raises:
        ValueError: a version has no rules.
    """
    found = []
    for problem, setting in problems:
        before, after = (predict(problem, gpu, setting, version) for version in (old, new))
        if (before.error, _launched(before)) != (after.error, _launched(after)):
            found.append(Change(problem, setting, before, after))
    return found


def _launched(route: Route) -> list[tuple[Any, ...]]:
    return [_facts(launch) for launch in route.launches]


def _facts(launch: Launch) -> tuple[Any, ...]:
    return (
        launch.kernel,
        launch.suffix,
        launch.grid,
        launch.group,
        launch.kind,
        dict(launch.params),
    )


def changes_table(found: Sequence[Change]) -> str:
    """Return a table of changes by old path, new path and format: how many, and the smallest."""
    groups: dict[tuple[str, ...], list[Change]] = {}
    for one in found:
        key = (one.old.path, one.new.path, one.problem.dtype.name, one.what)
        groups.setdefault(key, []).append(one)
    rows = [_row(key, group) for key, group in sorted(groups.items())]
    heads = ("old path", "new path", "dtype", "changed", "cases", "smallest")
    return tabulate(
        rows, headers=heads, tablefmt="simple", disable_numparse=True, colalign=_ALIGNED
    )


def _smallness(one: Change) -> tuple[Any, ...]:
    return one.problem.flops, one.problem.bytes, one.setting.tf32 == "off", one.text


def _row(key: tuple[str, ...], group: Sequence[Change]) -> list[str]:
    smallest = min(group, key=_smallness)
    return [*key, str(len(group)), smallest.text]
