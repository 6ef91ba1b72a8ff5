"""Flaws of `matmul` and `addmm`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from pytest_applegpu.forms.dense import VIA
from pytest_applegpu.forms.flaws.flaw import (
    SHAPES,
    TYPES,
    Call,
    Flaw,
    cast,
    lone,
    longer,
    unlike,
)
from pytest_applegpu.forms.form import Invocation, Operand, operand
from pytest_applegpu.views import Placement

MATMUL: Final = ("matmul-f32-nn-4x5x6",)
ADDMM: Final = ("addmm-f32-nn-4x5x6",)

INNER: Final = "the last axis of the first operand must be as long as K of the second"
REAL: Final = "only real floating-point formats are multiplied, as MLX's own checks say"


def _both(op: str, asked: tuple[str, ...], *more: str) -> Iterator[Flaw]:
    """Yield what both operations have, `more` being further operands."""
    yield Flaw("inner", op, INNER, SHAPES, asked, _longer_k)
    why = "batches of 2 and of 3 do not broadcast"
    yield Flaw("batches", op, why, SHAPES, asked, unlike("a", "b"))
    # `inner` of a number is that number times the other operand, as NumPy's is.
    called = {"via": VIA[:2]} if op == "matmul" else {}
    yield Flaw("scalar", op, "an operand must have an axis", SHAPES, asked, lone("a"), called)
    why = "only floating-point formats are multiplied"
    yield Flaw("integers", op, why, TYPES, asked, cast(np.int32, "a", "b", *more))


def _longer_k(call: Call) -> Call:
    """Make K of B one longer: its last axis where it is handed to `inner`, transposed."""
    axis = -1 if call.invocation.name == "inner" else -2
    return longer("b", axis)(call)


def too_many_rows(_: Call) -> Call:
    """Flatten a stack of 4 by 2**30 rows, all of them the same one, as matmul does with a stack.

    32 bits hold no 2**32, and 0 is left where the number wraps. Nothing of that size is stored.
    """
    stack = (4, 2**30, 1)
    placement = Placement((1, 1, 1), (("broadcast", list(stack)),))
    rows = Operand("a", "uint8", stack, placement, 0)
    said = Invocation("flatten", (operand("a"),), {"start_axis": 0, "end_axis": 1})
    return Call((rows,), (np.zeros((1, 1, 1), np.uint8),), said)


FLAWS: Final = (
    *_both("matmul", MATMUL),
    Flaw(
        "rows",
        "matmul",
        "the size of an axis must be below 2**31",
        ("overflow", "range", "32-bit"),
        MATMUL,
        too_many_rows,
    ),
    *_both("addmm", ADDMM, "c"),
    Flaw(
        "addend",
        "addmm",
        "the addend must broadcast to the product's shape",
        SHAPES,
        ADDMM,
        longer("c", -2),
    ),
)
