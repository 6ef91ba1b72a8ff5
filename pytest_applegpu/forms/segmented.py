"""Products over segments of K, each a result of its own: `segmented_mm`."""

from __future__ import annotations

from typing import Final

from pytest_applegpu.forms.dense import pair
from pytest_applegpu.forms.form import (
    Form,
    Invocation,
    Operand,
    Param,
    Shape,
    Sizes,
    operand,
    vector,
)

CUTS: Final = ("even", "ragged", "empty", "overlap")
"""How K is cut: in equal parts, in parts of any length, some of them empty, or overlapping."""


def _segments(sizes: Sizes) -> Shape:
    return (int(sizes.param("parts")),)


def _operand(sizes: Sizes) -> Operand:
    return vector("segments", "uint32", sizes, (*_segments(sizes), 2))


def _check(sizes: Sizes) -> None:
    """Refuse batches: MLX takes two matrices here."""
    if sizes.batch_a or sizes.batch_b:
        raise ValueError("segmented_mm multiplies two matrices, and takes no batch")


SEGMENTED_MM: Final = Form(
    "segmented_mm",
    {"parts": Param("4", low=0, high=2**16), "cut": Param("ragged", CUTS)},
    operands=lambda sizes: (*pair(sizes), _operand(sizes)),
    batch=_segments,
    invoke=lambda _: Invocation("segmented_mm", (operand("a"), operand("b"), operand("segments"))),
    check=_check,
    dtypes=("float32", "float16", "bfloat16"),
)
