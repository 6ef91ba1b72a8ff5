"""Which cases does a search run? Case number i of a seed is the same however many there are.

The operations take turns, and within each its formats, then the settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from pytest_applegpu.cases.boundaries import boundaries
from pytest_applegpu.cases.budget import cost
from pytest_applegpu.cases.case import TWINS, UNFILLED, Case
from pytest_applegpu.cases.choices.table import CHOICES
from pytest_applegpu.cases.fillings import fills_of
from pytest_applegpu.cases.planned import formats_of
from pytest_applegpu.cases.searching.problem import drawn
from pytest_applegpu.dtypes import DType
from pytest_applegpu.forms.flaws.table import FLAWS, flaws_of
from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.operations.twins import OPERATIONS
from pytest_applegpu.operations.ways import TRANSFORMS
from pytest_applegpu.problem import Problem
from pytest_applegpu.routing.target import Target
from pytest_applegpu.setting import Setting

DEAREST: Final = 0.2
"""Seconds of computed cost that a case may take, all its calls together."""

_STREAM: Final = 0x5EA

_FURTHER: Final = 0.35
"""Share of cases that check something else than the numbers of a single call."""

_FLAWED: Final = 0.05
"""Share of cases whose call MLX must refuse."""

_REPEATED: Final = OPERATIONS["view"] | {"sdpa", "multi_head_attention"}
"""Operations that are called several times over."""

_CALLS: Final = {"repeat": 10, "gradient": 6, "vmap": 8}
"""Calls that a check makes, as far as a drawn problem has to be cheap for them."""


@dataclass(frozen=True, slots=True)
class Space:
    """What is drawn from: a run's formats, settings, backend, and the dispatch of its targets."""

    backend: str
    dtypes: tuple[DType, ...]
    settings: tuple[Setting, ...]
    targets: tuple[Target, ...] = ()


def searched(space: Space, seed: int, count: int) -> list[Case]:
    """Return the first `count` cases of the search of `seed`; one that comes again is left out."""
    return list(dict.fromkeys(_case(space, seed, number) for number in range(count)))


def _case(space: Space, seed: int, number: int) -> Case:
    random = np.random.Generator(np.random.Philox([seed, _STREAM + (number << 16)]))
    operations = [op for op in CHOICES if formats_of(op, space.dtypes)]
    turn, place = divmod(number, len(operations))
    op = operations[place]
    own = formats_of(op, space.dtypes)
    turn, place = divmod(turn, len(own))
    setting = space.settings[turn % len(space.settings)]
    problem = drawn(
        CHOICES[op]((own[place].name,)),
        _sides(op, own[place], space.targets, space.backend),
        random,
        lambda one: cost(one, space.backend, calls=2) <= DEAREST,
    )
    return _checked(problem, setting, space.backend, random)


@cache
def _sides(op: str, dtype: DType, targets: tuple[Target, ...], backend: str) -> tuple[Problem, ...]:
    """Return both sides of the boundaries of the dispatch that are cheap enough."""
    if dtype.name == "float64":
        return ()  # no GPU multiplies it
    both = (side for one in boundaries(op, dtype, targets) for side in (one.below, one.above))
    return tuple(one for one in dict.fromkeys(both) if cost(one, backend) <= DEAREST)


def _checked(problem: Problem, setting: Setting, backend: str, random: np.random.Generator) -> Case:
    """Return a case of the problem: what is drawn first of all that serves it and is cheap."""
    kind = random.random()
    if kind < _FLAWED:
        wanted = _flawed(problem, setting)
    elif kind < _FLAWED + _FURTHER:
        wanted = _further(problem, setting)
    else:
        wanted = _plain(problem, setting)
    for kinds in (wanted, _plain(problem, setting)):
        makers = list(kinds)
        for place in random.permutation(len(makers)):
            case = _made(makers[place])
            if case is not None and _cheap(case, backend):
                return case
    return Case(problem, "integer", "exact", setting)


Maker = Callable[[], Case]


def _made(maker: Maker) -> Case | None:
    """Return a case; None where fill, flaw or problem do not serve the check."""
    try:
        return maker()
    except ValueError:
        return None


def _cheap(case: Case, backend: str) -> bool:
    return cost(case.problem, backend, calls=_CALLS.get(case.check, 2)) <= DEAREST


def _plain(problem: Problem, setting: Setting) -> Iterator[Maker]:
    for fill in fills_of(problem.op):
        yield lambda fill=fill: Case(problem, fill, FILLS[fill].check, setting)  # type: ignore[misc]


def _further(problem: Problem, setting: Setting) -> Iterator[Maker]:
    fills: Sequence[str] = fills_of(problem.op)
    for check in (*(("repeat",) if problem.op in _REPEATED else ()), *TWINS, *TRANSFORMS):
        for fill in fills:
            yield lambda fill=fill, check=check: Case(problem, fill, check, setting)  # type: ignore[misc]


def _flawed(problem: Problem, setting: Setting) -> Iterator[Maker]:
    for flaw in flaws_of(problem.op):
        if FLAWS[problem.op, flaw].why_not(problem) is None:
            yield lambda flaw=flaw: Case(problem, UNFILLED, "refusal", setting, flaw)  # type: ignore[misc]
