"""Flaws of `gather_mm`, `block_masked_mm` and `segmented_mm`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from pytest_applegpu.forms.flaws.dense import INNER, REAL
from pytest_applegpu.forms.flaws.flaw import (
    SHAPES,
    TYPES,
    Call,
    Flaw,
    cast,
    lone,
    longer,
    saying,
    stacked,
    unlike,
)

GATHERED: Final = ("gather_mm-f32-nn-4x5x6-b3:4 by=both",)
MASKED: Final = ("block_masked_mm-f32-nn-32x32x32 block=32",)
SEGMENTED: Final = ("segmented_mm-f32-nn-4x5x6",)

INDICES: Final = "indices must be whole numbers"


def _stacked(call: Call) -> Call:
    return call.given(a=stacked(call.array("a"), 2), b=stacked(call.array("b"), 2))


def _of_all(op: str, asked: tuple[str, ...]) -> Iterator[Flaw]:
    yield Flaw("inner", op, INNER, SHAPES, asked, longer("b", -2))
    yield Flaw("integers", op, REAL, TYPES, asked, cast(np.int32, "a", "b"))
    yield Flaw("complex", op, REAL, TYPES, asked, cast(np.complex64, "a", "b"))
    # segmented_mm says of any operand but a matrix that stacks are not taken.
    yield Flaw("scalar", op, "an operand must have an axis", SHAPES, asked, lone("a"))


def float_indices(op: str, asked: tuple[str, ...]) -> Flaw:
    """Return the flaw of indices that are no whole numbers."""
    spoil = cast(np.float32, "rhs")
    needs = {"by": ("rhs", "both")}
    return Flaw("float-indices", op, INDICES, TYPES, asked, spoil, needs)


def unlike_indices(op: str, asked: tuple[str, ...]) -> Flaw:
    """Return the flaw of indices whose shapes do not broadcast."""
    why = "indices of the two operands must broadcast"
    return Flaw("indices", op, why, SHAPES, asked, longer("rhs", -1), {"by": ("both",)})


FLAWS: Final = (
    *_of_all("gather_mm", GATHERED),
    float_indices("gather_mm", GATHERED),
    unlike_indices("gather_mm", GATHERED),
    *_of_all("block_masked_mm", MASKED),
    Flaw(
        "batches",
        "block_masked_mm",
        "batches of 2 and of 3 do not broadcast",
        SHAPES,
        MASKED,
        unlike("a", "b"),
    ),
    Flaw(
        "block",
        "block_masked_mm",
        "blocks are 32 or 64 long, as the documentation says",
        ("block",),
        MASKED,
        saying(block_size=16),
    ),
    Flaw(
        "mask-shape",
        "block_masked_mm",
        "a mask must have an element for each block",
        SHAPES,
        MASKED,
        longer("mask_out", -1),
        {"masks": ("olr", "o", "ol", "or")},
    ),
    *_of_all("segmented_mm", SEGMENTED),
    Flaw("batch", "segmented_mm", "two matrices are taken, no stacks", SHAPES, SEGMENTED, _stacked),
    Flaw(
        "float-segments",
        "segmented_mm",
        "segments must be whole numbers",
        TYPES,
        SEGMENTED,
        cast(np.float32, "segments"),
    ),
    Flaw(
        "segments-shape",
        "segmented_mm",
        "a segment has two ends",
        SHAPES,
        SEGMENTED,
        longer("segments", -1),
    ),
)
