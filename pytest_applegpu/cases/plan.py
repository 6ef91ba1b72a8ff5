"""Which numeric cases a run has: corners, every pair of choices, routing boundaries, then depth.

The list depends on the options, the seed and the backend, and on nothing that is measured, so
that all workers of a parallel run collect the same one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from pytest_applegpu.cases.alike import alike, alike_in_turn
from pytest_applegpu.cases.boundaries import boundaries, sampled
from pytest_applegpu.cases.budget import budget_of, cost
from pytest_applegpu.cases.case import Case
from pytest_applegpu.cases.choices.choices import Choices
from pytest_applegpu.cases.choices.table import CHOICES
from pytest_applegpu.cases.corners.table import corners, corners_in_turn
from pytest_applegpu.cases.pairs import Row, pairwise_rows
from pytest_applegpu.cases.planned import Planned, formats_of
from pytest_applegpu.cases.ranges import ranges
from pytest_applegpu.cases.transforms import transforms, transforms_in_turn
from pytest_applegpu.cases.turns import in_turns
from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.problem import Problem
from pytest_applegpu.routing.target import Target
from pytest_applegpu.setting import Setting

REPEATS: Final = 10
"""Calls that a repeatability case makes."""

_DEEPEST: Final = {"smoke": 768, "standard": 2100, "exhaustive": 4200}
_LARGE: Final = {"smoke": 0, "standard": 1, "exhaustive": 2}
_MOST: Final = 100_000

SIDES: Final = 0.4
"""Share of a tier that the sides of boundaries may take, all formats together."""


def backend_dtypes(backend: str) -> tuple[DType, ...]:
    """Return the formats that `backend` multiplies: float64 is the CPU's alone."""
    return tuple(d for d in DTYPES.values() if d.name != "float64" or backend == "cpu")


def numeric_cases(
    op: str,
    backend: str,
    dtypes: tuple[DType, ...],
    *,
    tier: str,
    seed: int,
    settings: Iterable[Setting],
    targets: Iterable[Target] = (),
    reserved: float = 0.0,
) -> list[Case]:
    """Return the tier's cases of `op`: corners, pairs, both sides of boundaries, large, depth.

    The boundaries are those of the dispatch of `targets`. Other cases of the tier are computed to
    take `reserved` seconds of its budget.
    """
    if op not in CHOICES:
        return []
    settings = tuple(settings)
    left = budget_of(op, tier) - reserved
    chosen: dict[Planned, None] = {}
    targets = tuple(targets)
    sides = [one for dtype in dtypes for one in _sides(op, dtype, targets, tier, backend)]
    for planned in _stream(op, backend, dtypes, tier, seed, sides):
        if planned in chosen:
            continue
        # Two settings are the rule; with one asked for, the list of problems stays the same.
        left -= (2 if _twice(planned, tier) else 1) * _planned_cost(planned, backend)
        if (left < 0 and chosen) or len(chosen) >= _MOST:
            break
        chosen[planned] = None
    return [
        Case(*planned, setting)
        for turn in in_turns(settings)
        for planned in chosen
        for setting in (turn if _twice(planned, tier) else _once(turn))
    ]


def _twice(planned: Planned, tier: str) -> bool:
    """Whether a case is run under both TF32 settings: in smoke where TF32 bears on it."""
    return tier != "smoke" or planned[0].dtype.has_tf32


def _once(turn: tuple[Setting, ...]) -> tuple[Setting, ...]:
    """Return one setting of those that differ in nothing but TF32."""
    return tuple({(one.arch, one.nax): one for one in reversed(turn)}.values())[::-1]


def _planned_cost(planned: Planned, backend: str) -> float:
    problem, _, check = planned
    calls = REPEATS if check == "repeat" else 1
    return cost(problem, backend, referenced=check != "projection", calls=calls)


def _sides(
    op: str, dtype: DType, targets: tuple[Target, ...], tier: str, backend: str
) -> Iterator[Planned]:
    """Yield both sides of each routing boundary, the cheapest first, while its share lasts."""
    if dtype.name == "float64":
        return  # no GPU multiplies it
    left = budget_of(op, tier) * SIDES / len(backend_dtypes("metal"))
    found = boundaries(op, dtype, targets)
    for one in sampled(found) if tier == "smoke" else found:
        both = [(side, "integer", "exact") for side in (one.below, one.above)]
        left -= 2 * sum(_planned_cost(side, backend) for side in both)
        if left < 0:
            return
        yield from both


def _stream(  # noqa: PLR0917 - all that a plan depends on
    op: str, backend: str, dtypes: tuple[DType, ...], tier: str, seed: int, sides: list[Planned]
) -> Iterator[Planned]:
    own = formats_of(op, dtypes)
    # What stands in for MLX where it is emulated has no transforms.
    transformed = () if backend == "emulated" else own
    yield from corners_in_turn(op, own)
    yield from alike_in_turn(op, own)
    yield from transforms_in_turn(op, transformed)
    for dtype in own:
        yield from ranges(op, dtype, tier)
    yield from _pairs(op, own, seed)
    yield from sides
    if tier != "smoke":
        yield from corners(op, own)
        yield from alike(op, own)
        yield from transforms(op, transformed)
    if op == "matmul":
        for dtype in own:
            yield from _large(op, dtype, _LARGE[tier])
    if tier != "smoke":
        yield from depth(op, own, _DEEPEST[tier], seed)


def _choices(op: str, dtypes: tuple[DType, ...]) -> Choices:
    return CHOICES[op](tuple(one.name for one in formats_of(op, dtypes)))


def _pairs(op: str, dtypes: tuple[DType, ...], seed: int) -> Iterator[Planned]:
    choices = _choices(op, dtypes)
    if choices.levels["dtype"]:
        yield from (
            _planned(choices, row) for row in pairwise_rows(choices.levels, choices.excluded, seed)
        )


def _planned(choices: Choices, row: Row) -> Planned:
    return choices.problem(row), row["fill"], FILLS[row["fill"]].check


def _large(op: str, dtype: DType, steps: int) -> Iterator[Planned]:
    """Thousands in every dimension, by the projection check alone."""
    for step in range(steps):
        size = 1024 * (step + 1)
        for m, n, k in ((size, size, size), (2 * size + 1, size - 1, 513), (65, 4097, size)):
            yield Problem(op, dtype, m, n, k, "nt"), "integer", "projection"


def depth(op: str, dtypes: tuple[DType, ...], deepest: int, seed: int) -> Iterator[Planned]:
    """Draw cases for ever: sizes up to `deepest` are log-uniform, everything else uniform."""
    random = np.random.Generator(np.random.Philox([seed, 0xD5]))
    choices = _choices(op, dtypes)
    while choices.levels["dtype"]:
        row = {
            name: levels[random.integers(len(levels))] for name, levels in choices.levels.items()
        }
        for name, unit in choices.free.items():
            row[name] = int(np.exp(random.uniform(0, np.log(max(deepest // unit, 1)))))
        if choices.allows(row):
            yield _planned(choices, row)
