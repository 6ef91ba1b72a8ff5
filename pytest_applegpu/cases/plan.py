"""Which numeric cases a run has: corners, every pair of choices, routing boundaries, then depth.

The list depends on the options, the seed and the backend, and on nothing that is measured, so
that all workers of a parallel run collect the same one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np

from pytest_applegpu.cases.boundaries import boundaries, sampled
from pytest_applegpu.cases.budget import TIERS, cost
from pytest_applegpu.cases.case import Case
from pytest_applegpu.cases.corners import Planned, corners
from pytest_applegpu.cases.factors import BATCHES, SIZES, constraints, factors
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
) -> list[Case]:
    """Return the tier's cases of `op`: corners, pairs, both sides of boundaries, large, depth.

    The boundaries are those of the dispatch of `targets`.
    """
    settings = tuple(settings)
    left = TIERS[tier]
    chosen: dict[Planned, None] = {}
    targets = tuple(targets)
    sides = [one for dtype in dtypes for one in _sides(op, dtype, targets, tier, backend)]
    for planned in _stream(op, dtypes, tier, seed, sides):
        if planned in chosen:
            continue
        # Two settings are the rule; with one asked for, the list of problems stays the same.
        left -= 2 * _planned_cost(planned, backend)
        if (left < 0 and chosen) or len(chosen) >= _MOST:
            break
        chosen[planned] = None
    return [
        Case(*planned, setting)
        for turn in in_turns(settings)
        for planned in chosen
        for setting in turn
    ]


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
    left = TIERS[tier] * SIDES / len(backend_dtypes("metal"))
    found = boundaries(op, dtype, targets)
    for one in sampled(found) if tier == "smoke" else found:
        both = [(side, "integer", "exact") for side in (one.below, one.above)]
        left -= 2 * sum(_planned_cost(side, backend) for side in both)
        if left < 0:
            return
        yield from both


def _stream(
    op: str, dtypes: tuple[DType, ...], tier: str, seed: int, sides: list[Planned]
) -> Iterator[Planned]:
    for dtype in dtypes:
        yield from corners(op, dtype)
    yield from _pairs(op, dtypes, seed)
    yield from sides
    for dtype in dtypes:
        yield from _large(op, dtype, _LARGE[tier])
    if tier != "smoke":
        yield from _depth(op, dtypes, _DEEPEST[tier], seed)


def _fills() -> tuple[str, ...]:
    return tuple(name for name, fill in FILLS.items() if fill.check in {"exact", "bounded"})


def _pairs(op: str, dtypes: tuple[DType, ...], seed: int) -> Iterator[Planned]:
    from covertable import make  # noqa: PLC0415 - only where cases are made

    levels = factors(tuple(dtype.name for dtype in dtypes), _fills(), SIZES)
    for row in make(levels, constraints=constraints(), salt=str(seed)):
        yield _planned(op, row)


def _planned(op: str, row: dict[str, Any]) -> Planned:
    batch_a, batch_b = BATCHES[row["batch"]]
    problem = Problem(
        op=op,
        dtype=DTYPES[row["dtype"]],
        m=row["m"],
        n=row["n"],
        k=row["k"],
        transpose=row["transpose"],
        batch_a=batch_a,
        batch_b=batch_b,
        layout_a=row["layout_a"],
        layout_b=row["layout_b"],
        params=(("via", "operator"),) if row["via"] == "operator" else (),
    )
    return problem, row["fill"], FILLS[row["fill"]].check


def _large(op: str, dtype: DType, steps: int) -> Iterator[Planned]:
    """Thousands in every dimension, by the projection check alone."""
    for step in range(steps):
        size = 1024 * (step + 1)
        for m, n, k in ((size, size, size), (2 * size + 1, size - 1, 513), (65, 4097, size)):
            yield Problem(op, dtype, m, n, k, "nt"), "integer", "projection"


def _depth(op: str, dtypes: tuple[DType, ...], deepest: int, seed: int) -> Iterator[Planned]:
    """Draw cases for ever: sizes are log-uniform, everything else uniform."""
    random = np.random.Generator(np.random.Philox([seed, 0xD5]))
    levels = factors(tuple(dtype.name for dtype in dtypes), _fills(), (1,))
    while True:
        row = {name: options[random.integers(len(options))] for name, options in levels.items()}
        for name in ("m", "n", "k"):
            row[name] = int(np.exp(random.uniform(0, np.log(deepest))))
        batches = BATCHES[row["batch"]]
        if not any(
            row[f"layout_{side}"] in {"bc", "heads"} and not batch
            for side, batch in zip("ab", batches, strict=True)
        ):
            yield _planned(op, row)
