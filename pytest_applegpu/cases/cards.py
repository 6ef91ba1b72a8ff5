"""With which products are feature cards asked, and what does a card cost?

Shapes do not depend on MLX's version: a stored card is found again after an upgrade, whichever
route its product takes by then.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pytest_applegpu.cases.budget import cost
from pytest_applegpu.cases.case import UNFILLED, Case
from pytest_applegpu.cases.turns import in_turns
from pytest_applegpu.dtypes import DType
from pytest_applegpu.problem import Problem, parse_problem
from pytest_applegpu.setting import Setting

KINDS: Final = {
    "matrices": "nn-64x64x64",
    "B transposed": "nt-64x64x64",
    "long K": "nn-32x32x1024",
    "batch": "nn-32x32x64-b4",
    "row": "nn-1x64x256",
    "column": "nn-64x1x256",
    "vectors": "nn-1x1x256",
}
"""Shapes by what is multiplied, where a library chooses its kernels itself."""

OFFERED: Final = (
    "nn-96x96x64",
    "nn-64x64x64",
    "nn-32x32x256",
    "nn-16x72x512",
    "nn-1x64x256",
    "nt-1x64x256",
    "nt-8x64x256",
    "nn-1x1x256",
)
"""Shapes that between them take every path of `matmul` in some version, format and device."""

PRODUCTS: Final = 140
"""Products that a card is made of, on average over shapes and formats."""

TRIP: Final = 1e-3
"""Seconds that it takes at the most to ask a worker for a small product."""


def card_problem(dtype: DType, shape: str) -> Problem:
    """Return the problem that a format is asked with in one of the shapes."""
    return parse_problem(f"matmul-{dtype.short}-{shape}")


def card_problems(op: str, dtypes: Iterable[DType], backend: str, tier: str) -> list[Problem]:
    """Return what the cards of a tier are asked with: in a smoke run square matrices alone."""
    if op != "matmul":
        return []
    shapes = tuple(KINDS.values()) if backend in {"cpu", "cuda"} else OFFERED
    some = shapes[:1] if tier == "smoke" else shapes
    return [card_problem(dtype, shape) for dtype in dtypes for shape in some]


def card_cases(problems: Iterable[Problem], settings: Iterable[Setting]) -> list[Case]:
    """Return the cards of `problems` under each setting."""
    problems = tuple(problems)
    return [
        Case(problem, UNFILLED, "card", setting)
        for turn in in_turns(tuple(settings))
        for problem in problems
        for setting in turn
    ]


def card_cost(problem: Problem, backend: str) -> float:
    """Return the seconds that a card is computed to take."""
    return PRODUCTS * TRIP + cost(problem, backend, referenced=False, calls=PRODUCTS)
