"""Which cards a tier has, and that their cost is what they take."""

from __future__ import annotations

from collections.abc import Hashable
from statistics import mean

import numpy as np
import pytest

from pytest_applegpu.cases.budget import TIERS
from pytest_applegpu.cases.cards import (
    KINDS,
    PRODUCTS,
    card_cases,
    card_cost,
    card_problem,
    card_problems,
)
from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.cases.plan import backend_dtypes, numeric_cases
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.numerics.card.ask import Ask
from pytest_applegpu.numerics.card.questions import features
from pytest_applegpu.setting import Setting

BOTH = (Setting("on"), Setting("off"))
BACKENDS = ("cpu", "cuda", "metal", "emulated")


class Counting:
    """Multiplies with NumPy, and counts."""

    def __init__(self) -> None:
        self.products = 0

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        self.products += 1
        found: np.ndarray = a @ b
        return found

    def repeat(self, a: np.ndarray, b: np.ndarray, times: int) -> list[Hashable]:
        return [self.multiply(a, b).tobytes() for _ in range(times)]


def asked(shape: str) -> int:
    """Return the products that a card of a shape is made of."""
    problem = card_problem(DTYPES["float32"], shape)
    counting = Counting()
    features(Ask(problem.dtype, problem.m, problem.n, problem.k, problem.batch, counting))
    return counting.products


def test_the_products_of_a_card_are_counted_rightly() -> None:
    assert 0.8 * PRODUCTS <= mean(asked(shape) for shape in KINDS.values()) <= PRODUCTS


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_smoke_run_asks_one_product_a_format_and_others_more(backend: str) -> None:
    dtypes = backend_dtypes(backend)
    smoke, standard = (
        card_problems("matmul", dtypes, backend, tier) for tier in ("smoke", "standard")
    )
    assert [problem.dtype for problem in smoke] == list(dtypes)
    assert set(smoke) < set(standard)
    assert card_problems("matmul", dtypes, backend, "exhaustive") == standard
    assert card_problems("addmm", dtypes, backend, "standard") == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_cards_are_a_small_part_of_each_budget(backend: str) -> None:
    for tier, budget in TIERS.items():
        problems = card_problems("matmul", backend_dtypes(backend), backend, tier)
        assert 0 < 2 * sum(card_cost(problem, backend) for problem in problems) < 0.1 * budget


def test_the_budget_of_a_tier_is_shared_with_them() -> None:
    def cases(reserved: float) -> list[str]:
        found = numeric_cases(
            "matmul",
            "cpu",
            (DTYPES["float16"],),
            tier="smoke",
            seed=0,
            settings=BOTH,
            reserved=reserved,
        )
        return [str(case) for case in found]

    whole, less = cases(0.0), cases(TIERS["smoke"] - 0.1)
    assert less == whole[: len(less)]
    assert len(less) < len(whole)


def test_every_card_is_asked_under_each_setting_and_parses_back() -> None:
    problems = card_problems("matmul", (DTYPES["float32"],), "cpu", "standard")
    cases = card_cases(problems, BOTH)
    assert [case.problem for case in cases[::2]] == problems
    assert {case.setting for case in cases} == set(BOTH)
    assert [parse_cases(str(case), ()) for case in cases] == [[case] for case in cases]
