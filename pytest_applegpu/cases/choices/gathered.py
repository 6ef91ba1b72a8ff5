"""What are cases of `gather_mm` made of?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_applegpu.cases.choices.choices import FLAT, LAYOUTS, SIZES, Choices
from pytest_applegpu.cases.choices.dense import made
from pytest_applegpu.cases.fillings import drawn_fills
from pytest_applegpu.cases.pairs import Excluded, Row
from pytest_applegpu.forms.gathered import ORDERS
from pytest_applegpu.problem import TRANSPOSES, Batch, Problem

STACKS: Final[dict[str, tuple[Batch, Batch]]] = {
    "b6:4": ((6,), (4,)),
    "b1:5": ((1,), (5,)),
    "b24:3": ((24,), (3,)),
    "b2x3:2x2": ((2, 3), (2, 2)),
    "b7:1": ((7,), (1,)),
}
"""Stacks of both operands to pick from."""

PICKING: Final = {
    "stacks": tuple(STACKS),
    "by": ("rhs", "lhs", "both"),
    "order": ORDERS,
    "lhs": FLAT,
    "rhs": FLAT,
}
"""Factors of what is picked, how, and how the indices lie."""


def picking() -> Iterator[Excluded]:
    """Exclude layouts of indices that are not handed over."""
    yield {"by": ("rhs",), "lhs": FLAT[1:]}
    yield {"by": ("lhs",), "rhs": FLAT[1:]}


def gather_mm(dtypes: tuple[str, ...]) -> Choices:
    """Return the choices of `gather_mm`."""
    levels = {
        "dtype": dtypes,
        "transpose": TRANSPOSES,
        "m": SIZES,
        "n": SIZES,
        "k": SIZES,
        "a": LAYOUTS,
        "b": LAYOUTS,
        "fill": drawn_fills("gather_mm"),
        **PICKING,
    }
    return Choices(levels, tuple(picking()), _problem)


def _problem(row: Row) -> Problem:
    return made("gather_mm", row, ("a", "b", *PICKED), STACKS[row["stacks"]])


PICKED: Final = ("by", "order", "lhs", "rhs")
"""Factors of picking that a case's text says."""
