"""What are cases of `block_masked_mm` made of?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.cases.choices.choices import (
    BATCHED,
    BATCHES,
    LAYOUTS,
    UNPLAIN,
    Choices,
    unbatched,
    without,
)
from pytest_applegpu.cases.choices.dense import made
from pytest_applegpu.cases.fillings import drawn_fills
from pytest_applegpu.cases.pairs import Excluded
from pytest_applegpu.forms.masked import BLOCK_MASKED_MM, MASKS
from pytest_applegpu.problem import TRANSPOSES

_SIZES: Final = (1, 16, 31, 32, 33, 63, 64, 65, 129)
"""Sizes on both sides of a block of masks."""

_PARAMS: Final = {name: one.values for name, one in BLOCK_MASKED_MM.params.items()}


def block_masked_mm(dtypes: tuple[str, ...]) -> Choices:
    """Return the choices of `block_masked_mm`."""
    levels = {
        "dtype": dtypes,
        "transpose": TRANSPOSES,
        "m": _SIZES,
        "n": _SIZES,
        "k": _SIZES,
        "batch": tuple(BATCHES),
        "a": LAYOUTS,
        "b": LAYOUTS,
        "fill": drawn_fills("block_masked_mm"),
        **_PARAMS,
        **dict.fromkeys(MASKS.values(), LAYOUTS),
    }
    said = ("a", "b", *_PARAMS, *MASKS.values())
    return Choices(levels, _excluded(), lambda row: made("block_masked_mm", row, said))


def _excluded() -> tuple[Excluded, ...]:
    """Exclude layouts of masks that are not handed over, or that need a batch and have none."""
    absent = (
        {"masks": tuple(one for one in _PARAMS["masks"] if letter not in one), name: UNPLAIN}
        for letter, name in MASKS.items()
    )
    shared = ({"over": ("all",), name: BATCHED} for name in MASKS.values())
    return (
        *absent,
        *shared,
        *unbatched(("a", "mask_lhs"), without(0)),
        *unbatched(("b", "mask_rhs"), without(1)),
        *unbatched(("mask_out",), ("none",)),
    )
