"""What are cases of `matmul` and `addmm` made of?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.cases.choices.choices import (
    BATCHED,
    BATCHES,
    LAYOUTS,
    SIZES,
    Choices,
    unbatched,
    without,
)
from pytest_applegpu.cases.fillings import drawn_fills
from pytest_applegpu.cases.pairs import Row
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.forms.dense import ADDENDS, SCALES
from pytest_applegpu.problem import TRANSPOSES, Batch, Problem, problem_of

TILES: Final = (16, 32, 64, 128, 512)
"""Edges of tiles in MLX's kernels; both neighbours of each are sizes to try."""

TILED: Final = tuple(sorted({1, 2, 3, 5, *(tile + d for tile in TILES for d in (-1, 0, 1))}))

MATMUL_LAYOUTS: Final = (
    "plain",
    "pad:1",
    "pad:8",
    "rows:3",
    "off:1",
    "off:4",
    "step",
    "neg",
    "axis",
    "bc",
    "heads",
)


def matmul(dtypes: tuple[str, ...]) -> Choices:
    """Return the choices of `matmul`."""
    levels = {
        "dtype": dtypes,
        "transpose": TRANSPOSES,
        "m": TILED,
        "n": TILED,
        "k": TILED,
        "batch": tuple(BATCHES),
        "a": MATMUL_LAYOUTS,
        "b": MATMUL_LAYOUTS,
        "fill": drawn_fills("matmul"),
        "via": ("function", "operator"),
    }
    excluded = (*unbatched("a", without(0)), *unbatched("b", without(1)))
    return Choices(levels, excluded, lambda row: made("matmul", row, ("a", "b", "via")))


def addmm(dtypes: tuple[str, ...]) -> Choices:
    """Return the choices of `addmm`: only an addend of the result's shape has a batch."""
    levels = {
        "dtype": dtypes,
        "transpose": TRANSPOSES,
        "m": SIZES,
        "n": SIZES,
        "k": SIZES,
        "batch": tuple(BATCHES),
        "a": LAYOUTS,
        "b": LAYOUTS,
        "c": LAYOUTS,
        "fill": drawn_fills("addmm"),
        "alpha": SCALES,
        "beta": SCALES,
        "addend": ADDENDS,
    }
    excluded = (
        *unbatched("a", without(0)),
        *unbatched("b", without(1)),
        *unbatched("c", ("none",)),
        {"c": BATCHED, "addend": tuple(one for one in ADDENDS if one != "full")},
    )
    said = ("a", "b", "c", "alpha", "beta", "addend")
    return Choices(levels, excluded, lambda row: made("addmm", row, said))


def made(
    op: str, row: Row, said: tuple[str, ...], batches: tuple[Batch, Batch] | None = None
) -> Problem:
    """Make the problem of a row, whose batch is one of those that broadcast if none is given."""
    sizes = (row["m"], row["n"], row["k"])
    words = {name: row[name] for name in said}
    batches = BATCHES[row["batch"]] if batches is None else batches
    return problem_of(op, DTYPES[row["dtype"]], sizes, row["transpose"], batches, words)
