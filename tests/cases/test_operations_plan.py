"""Every operation's plan: always the same, all choices in it, and nothing that proves nothing."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, islice, product

import numpy as np
import pytest

from pytest_applegpu.cases.budget import SHARES, TIERS, budget_of, cost
from pytest_applegpu.cases.case import Case
from pytest_applegpu.cases.choices.choices import Choices
from pytest_applegpu.cases.choices.table import CHOICES
from pytest_applegpu.cases.corners.table import LINES, corners, corners_in_turn, lines_of
from pytest_applegpu.cases.fillings import drawn_fills, fills_of
from pytest_applegpu.cases.packed import FORMATS
from pytest_applegpu.cases.pairs import Excluded, pairwise_rows
from pytest_applegpu.cases.plan import (
    REPEATS,
    backend_dtypes,
    depth,
    numeric_cases,
)
from pytest_applegpu.cases.planned import Planned
from pytest_applegpu.forms.table import FORMS
from pytest_applegpu.numerics.bounds import promise
from pytest_applegpu.numerics.proof import prove
from pytest_applegpu.numerics.special import prove_isolation
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.problem import Problem
from pytest_applegpu.setting import Setting
from pytest_applegpu.views import LAYOUTS

OTHERS = tuple(LINES)
"""Operations beside `matmul`, which has tests of its own."""

DTYPES = backend_dtypes("metal")

BATCHED = {"bc", "heads"}

LAYERS = {"linear", "quantized_linear", "multi_head_attention"}


def choices_of(op: str) -> Choices:
    return CHOICES[op](tuple(one.name for one in DTYPES if one.name in FORMS[op].dtypes))


def spent(planned: Planned) -> float:
    problem, _, check = planned
    calls = REPEATS if check == "repeat" else 1
    return cost(problem, "cpu", referenced=check != "projection", calls=calls)


def planned_of(op: str, tier: str, *settings: str) -> list[Case]:
    return numeric_cases(
        op, "cpu", DTYPES, tier=tier, seed=0, settings=[Setting(tf32) for tf32 in settings]
    )


@pytest.mark.parametrize("op", OTHERS)
def test_a_smoke_run_has_all_corners_within_its_share(op: str) -> None:
    cases = planned_of(op, "smoke", "on", "off")
    counted = Counter((case.problem, case.fill, case.check) for case in cases)
    assert set(corners_in_turn(op, DTYPES)) <= set(counted)
    for (problem, *_), count in counted.items():
        assert count == (2 if problem.dtype.has_tf32 else 1)
    assert sum(count * spent(one) for one, count in counted.items()) <= budget_of(op, "smoke")
    again = planned_of(op, "smoke", "on")
    assert [case.data for case in again] == list(dict.fromkeys(case.data for case in cases))


@pytest.mark.parametrize("op", OTHERS)
def test_a_standard_run_has_all_pairs(op: str) -> None:
    chosen = {case.problem for case in planned_of(op, "standard", "on")}
    rows = pairwise_rows(choices_of(op).levels, choices_of(op).excluded, 0)
    assert {choices_of(op).problem(row) for row in rows} <= chosen


@pytest.mark.parametrize("op", OTHERS)
def test_every_corner_is_in_every_format_of_larger_tiers(op: str) -> None:
    dtypes = [one for one in DTYPES if one.name in FORMS[op].dtypes]
    assert len(list(corners(op, DTYPES))) == len(dtypes) * len(list(lines_of(op)))
    assert set(corners_in_turn(op, DTYPES)) <= set(corners(op, DTYPES))


@pytest.mark.parametrize("op", CHOICES)
def test_every_allowed_pair_of_choices_stands_in_a_row(op: str) -> None:
    choices = choices_of(op)
    rows = list(pairwise_rows(choices.levels, choices.excluded, 7))
    assert all(map(choices.allows, rows))
    for one, other in combinations(choices.levels, 2):
        pairs = product(choices.levels[one], choices.levels[other])
        due = {
            (x, y)
            for x, y in pairs
            if not any(_bars(bar, {one: x, other: y}) for bar in choices.excluded)
        }
        assert due == {(row[one], row[other]) for row in rows}, (one, other)


def _bars(bar: Excluded, pair: dict[str, object]) -> bool:
    return set(bar) == set(pair) and all(pair[name] in levels for name, levels in bar.items())


@pytest.mark.parametrize("op", OTHERS)
def test_every_operand_lies_in_every_layout_that_it_can_have(op: str) -> None:
    rows = pairwise_rows(choices_of(op).levels, choices_of(op).excluded, 0)
    seen: dict[str, set[str]] = {}
    for problem in map(choices_of(op).problem, rows):
        for one in problem.operands:
            seen.setdefault(one.name, set()).add(problem.layout(one.name).partition(":")[0])
    for name, layouts in seen.items():
        assert layouts == _possible(op, name), name


def _possible(op: str, name: str) -> set[str]:
    """Return the layouts that an operand can have: those that need a batch where it has one."""
    whole = set(LAYOUTS) - {"vec"}
    flat = name in {"segments", "lhs", "rhs"} or (op == "segmented_mm" and name in {"a", "b"})
    if op in {"sdpa", "conv1d", "conv2d"}:
        # A query, a weight or a mask that is one for all would prove nothing; see the choices.
        return {"q": whole - {"bc"}, "weight": whole - {"bc"}}.get(
            name, {"plain"} if name in {"mask", "sinks"} else whole
        )
    if op in LAYERS:
        # Parameters have no batch; a mask or a query that is one for all would prove nothing.
        own = {"a": whole, "q": whole - {"bc"}, "k": whole, "v": whole, "mask": {"plain"}}
        return own.get(name, whole - BATCHED)
    return whole - BATCHED if flat or op == "qqmm" else whole


def test_packed_weights_are_of_every_format_both_ways() -> None:
    for op in ("quantized_matmul", "gather_qmm"):
        problems = [problem for problem, _, _ in corners_in_turn(op, DTYPES)]
        said = {
            (one.param("mode"), one.param("group"), one.param("bits"), one.transpose[1])
            for one in problems
        }
        assert len({(mode, group, bits) for mode, group, bits, _ in said}) == len(FORMATS)
        assert len(said) == 2 * len(FORMATS)


@pytest.mark.parametrize("op", OTHERS)
def test_depth_goes_on_and_stays_valid(op: str) -> None:
    drawn = list(islice(depth(op, DTYPES, 600, 3), 200))
    assert drawn == list(islice(depth(op, DTYPES, 600, 3), 200))
    assert {fill for _, fill, _ in drawn} == set(drawn_fills(op))
    assert max(max(problem.m, problem.n) for problem, _, _ in drawn) > 30


@pytest.mark.parametrize("op", OTHERS)
def test_what_is_planned_proves_something(op: str) -> None:
    planned = [
        *islice(corners_in_turn(op, DTYPES), 0, None, 4),
        *islice(depth(op, DTYPES, 90, 1), 40),
    ]
    unproven = [
        str(problem)
        for problem, fill, check in planned
        if cost(problem, "cpu") < 0.02
        if _why_nothing(problem, fill, check) is not None
    ]
    assert unproven == []


def _why_nothing(problem: Problem, fill: str, check: str) -> str | None:
    dtype = problem.dtype
    drawn = draw(problem, fill, dtype.significand, np.random.default_rng(1))
    if drawn.judge is not None:
        return drawn.judge.prove()
    if check == "isolation":
        return prove_isolation(drawn.A, drawn.B)
    if check not in {"exact", "bounded"}:
        return None
    return prove(check, drawn.A, drawn.B, dtype, promise(dtype), **drawn.meaning)


def test_shares_are_shares_of_a_tier() -> None:
    assert set(SHARES) == set(CHOICES)
    assert sum(SHARES.values()) == pytest.approx(1)
    for tier in TIERS:
        assert sum(budget_of(op, tier) for op in SHARES) == pytest.approx(TIERS[tier])


def test_every_operation_has_exact_and_bounded_fills() -> None:
    for op in CHOICES:
        assert {"integer", "normal"} <= set(fills_of(op))
