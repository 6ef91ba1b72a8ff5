"""Which calls are linted: the suite's own on a few GPUs, and random ones?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from pytest_applegpu.cases.plan import backend_dtypes
from pytest_applegpu.lint.check import lint
from pytest_applegpu.lint.drawn import drawn
from pytest_applegpu.lint.finding import Kind
from pytest_applegpu.lint.shrink import shrunk_kinds
from pytest_applegpu.routing.calls import Call
from pytest_applegpu.routing.lines import target_of as routed_for
from pytest_applegpu.routing.problems import call_of_problem, target_of
from pytest_applegpu.routing.target import Gpu, Target
from pytest_applegpu.survey.asked import options_of, words_of
from pytest_applegpu.survey.changes import suite_problems

ARCHS: Final = tuple(
    f"applegpu_{name}" for name in ("g13g", "g14d", "g15s", "g17d", "g17g", "g17s", "g18p")
)
"""Where the suite's own problems are linted, if no architecture is asked for."""

Asked = tuple[Call, Target]


def command(line: dict[str, Any]) -> str:
    """Return the command that shows the route of a finding's call."""
    return f"applegpu route {words_of(line)} {options_of(routed_for(line))}"


def linted(calls: Iterator[Asked]) -> list[Kind]:
    """Return the kinds of findings in `calls`, each with its smallest problem made smaller."""
    return shrunk_kinds(lint(calls))


def standing(arch: str | None, version: str, count: int, seed: int) -> Iterator[Asked]:
    """Yield the suite's standard problems, and `count` random calls of every operation.

    With `arch` for that one alone, else for `ARCHS` and random architectures.
    """
    random = drawn(count, version, seed)
    if arch is not None:
        random = ((call, _moved(target, arch)) for call, target in random)
    return chain(*(_suite(one, version) for one in ([arch] if arch else ARCHS)), random)


def _suite(arch: str, version: str) -> Iterator[Asked]:
    gpu = Gpu(arch)
    dtypes = backend_dtypes("metal")
    for problem, setting in suite_problems(gpu, (version,), "standard", ("on", "off"), dtypes):
        yield call_of_problem(problem), target_of(gpu, setting, version)


def _moved(target: Target, arch: str) -> Target:
    return Gpu(arch).target(tf32=target.tf32, version=target.version)
