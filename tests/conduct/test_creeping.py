"""A case whose error has grown since it was stored is named, and never over before it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from pytest_applegpu.baselines import records
from pytest_applegpu.baselines.records import run_id
from pytest_applegpu.baselines.store import Shelf
from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.conduct.creeping import ENOUGH, FLOOR, MULTIPLE, compared, grown
from pytest_applegpu.conduct.numbers import Numbers
from pytest_applegpu.report.records import BudgetFacts, ErrorFacts
from pytest_applegpu.setting import Setting
from tests.baselines.samples import BASELINE, RUN

(CASE,) = parse_cases("matmul-f32-nn-64x64x512 fill=normal", [Setting("off")])
EMPTY = Shelf("none")


def stored(share: float | None) -> Shelf:
    numbers = records.Numbers(run_id(RUN), "within", share, 1.0, 1e-7)
    cases = {str(CASE): records.Record(numbers=numbers)}
    return Shelf("key", ((Path("b.json"), replace(BASELINE, cases=cases)),))


def found(
    share: float, verdict: str = "within", *, output: float = 0.0, total: int = 4096
) -> Numbers:
    budget = BudgetFacts(operand=0.0, accumulate=1 - output, output=output, model="sums")
    return Numbers(verdict, ErrorFacts(share=share, total=total, budget=budget))


def before(numbers: Numbers) -> float | None:
    assert numbers.error is not None
    assert numbers.error.budget is not None
    return numbers.error.budget.before


@pytest.mark.parametrize(
    ("share", "past", "verdict"),
    [
        (0.1, 0.1, "within"),
        (MULTIPLE * 0.1 - 0.01, 0.1, "within"),
        (MULTIPLE * 0.1 + 0.01, 0.1, "creeping"),
        (MULTIPLE * FLOOR + 0.01, 0.0, "creeping"),
        (MULTIPLE * FLOOR - 0.01, 0.0, "within"),
        (0.9, 0.5, "within"),
    ],
)
def test_several_times_the_stored_share_is_creeping(
    share: float, past: float, verdict: str
) -> None:
    numbers = compared(CASE, found(share), stored(past))
    assert numbers.verdict == verdict
    assert before(numbers) == past


def test_rounding_the_result_is_no_growth() -> None:
    assert compared(CASE, found(0.98, output=0.95), stored(0.1)).verdict == "within"
    assert compared(CASE, found(0.98, output=0.05), stored(0.1)).verdict == "creeping"


def test_few_elements_tell_of_their_data_alone() -> None:
    error = found(0.9, total=ENOUGH - 1).error
    assert error is not None
    assert not grown(error, 0.0)


@pytest.mark.parametrize("verdict", ["over", "no proof", "creeping"])
def test_another_verdict_stands(verdict: str) -> None:
    numbers = compared(CASE, found(0.9, verdict), stored(0.01))
    assert numbers.verdict == verdict
    assert before(numbers) == 0.01


def test_without_a_stored_share_nothing_is_compared() -> None:
    now = found(0.9)
    assert compared(CASE, now, EMPTY) is now
    assert compared(CASE, now, stored(None)) is now
    assert compared(CASE, Numbers("crashed"), stored(0.1)) == Numbers("crashed")
    exact = Numbers("exact", ErrorFacts(share=0.0, total=4096))
    assert compared(CASE, exact, stored(0.1)) == exact
