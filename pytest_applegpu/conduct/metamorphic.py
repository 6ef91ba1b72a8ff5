"""How is a product compared with the same one, made another way?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.numerics.compare import misshapen
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.proof import expect_bounded
from pytest_applegpu.numerics.rounding import Array
from pytest_applegpu.numerics.twins import compare_twins, normal_products, scaled_exactly
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.operations.twins import Twin, twins
from pytest_applegpu.worker.requests import Answer, Refusal

Multiply = Callable[[Case, Drawn], Answer | Refusal]
"""Makes one call; errors of the worker pass through."""

Bound = Callable[[], Array]
"""Gives how far off each element of the first result may be."""


def compare(case: Case, bench: Bench, drawn: Drawn, first: Array, multiply: Multiply) -> Finding:
    """Return what the worst of a case's twins shows against the first result, as it came.

    `first` has been found right by itself. What each twin shows stands in the detail.
    """
    first = first.reshape(case.problem.grid)
    # The bound of the first result is the same beside every twin, and few twins ask for it.
    bound = cache(lambda: _bound(case, bench, drawn))
    said: list[str] = []
    nothing = "no other call makes this product from numbers that its format holds"
    worst = Finding("no proof", detail=nothing)
    for twin in twins(case.check, case.problem, drawn):
        found = _one(case, bench, bound, drawn, first, twin, multiply)
        said.append(f"{twin.name}: {found.detail}")
        if not found.passed:
            return replace(found, detail=said[-1])
        worst = max(worst, found, key=_rank)
    return replace(worst, detail="; ".join(said)) if said else worst


def _rank(finding: Finding) -> tuple[int, float]:
    return ("no proof", "exact", "within").index(finding.verdict), finding.share or 0.0


def _one(  # noqa: PLR0917 - two calls and what makes them
    case: Case,
    bench: Bench,
    bound: Bound,
    drawn: Drawn,
    first: Array,
    twin: Twin,
    multiply: Multiply,
) -> Finding:
    other = replace(case, problem=twin.problem, check="bounded")
    answer = multiply(other, twin.drawn)
    if isinstance(answer, Refusal):
        return Finding("raised", detail=answer.text)
    second = answer.results[0]
    fault = misshapen(second, twin.problem.shape_c, case.problem.dtype)
    if fault:
        return Finding("misshapen", detail=fault)
    second = second.reshape(twin.problem.grid)
    if twin.turned:
        second = np.swapaxes(second, -1, -2)
    dtype = case.problem.dtype
    if twin.power:
        grown, safe = scaled_exactly(first, twin.power, dtype)
        safe &= normal_products(drawn.A, drawn.B, dtype)
        if 2 * np.count_nonzero(safe) < safe.size:
            return Finding("no proof", detail="most elements leave the range when they are scaled")
        kept = np.where(safe, second, grown)
        return compare_twins(grown, kept, np.zeros(first.shape), dtype)
    if twin.rows is not None:
        first = first[..., : twin.rows, :]
    return compare_twins(first, second, _allowed(case, other, bench, bound, twin), dtype)


def _allowed(case: Case, other: Case, bench: Bench, bound: Bound, twin: Twin) -> Array:
    """Return by how much both may differ: not at all where they are known to run one route."""
    if _one_route(case, other, bench):
        return np.zeros(twin.problem.grid)
    ours, theirs = bound(), _bound(other, bench, twin.drawn)
    if twin.turned:
        theirs = np.swapaxes(theirs, -1, -2)
    both: Array = ours[..., : theirs.shape[-2], :] + theirs
    return both


def _bound(case: Case, bench: Bench, drawn: Drawn) -> Array:
    """Return how far off each element of a case's result may be, shape (*batch, M, N)."""
    arithmetic = bench.arithmetic(case.problem, case.setting)
    dtype = case.problem.dtype
    return expect_bounded(drawn.A, drawn.B, dtype, arithmetic, **drawn.meaning)[0].allowed


def _one_route(case: Case, other: Case, bench: Bench) -> bool:
    """Whether the same kernels are known to run over the same grid, for views and copies alone."""
    if case.check != "view":
        return False
    ours, theirs = (bench.routes.taken(one.problem, one.setting) for one in (case, other))
    return ours is not None and theirs is not None and ours.launches == theirs.launches
