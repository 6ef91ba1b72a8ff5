"""What are cases of `sdpa` made of?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.cases.choices.choices import LAYOUTS, Choices
from pytest_applegpu.cases.fillings import drawn_fills
from pytest_applegpu.cases.pairs import Excluded, Row
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.forms.attention import MASKS, OVER
from pytest_applegpu.problem import Batch, Problem, problem_of

HEADS: Final[dict[str, tuple[Batch, Batch]]] = {
    "b1x4": ((1, 4), (1, 4)),
    "b2x4:2x2": ((2, 4), (2, 2)),
    "b1x4:1x1": ((1, 4), (1, 1)),
    "b3x2": ((3, 2), (3, 2)),
}
"""Sequences and heads: of their own, shared by two, and one for all."""

_OPERANDS: Final = ("q", "k", "v")

_NO_ARRAY: Final = ("none", "causal")

_EXCLUDED: Final[tuple[Excluded, ...]] = (
    {"mask": _NO_ARRAY, "over": OVER[1:]},
    {"mask": _NO_ARRAY, "hide": ("rows",)},
)


def sdpa(dtypes: tuple[str, ...]) -> Choices:
    """Return the choices of `sdpa`; a stride of 0 is for keys and values."""
    levels = {
        "dtype": dtypes,
        "m": (1, 2, 8, 9, 33, 65),
        "n": (2, 7, 32, 33, 130),
        "size": (16, 32, 64, 72, 80, 96, 128, 256),
        "heads": tuple(HEADS),
        "mask": MASKS,
        "over": OVER,
        "hide": ("some", "rows"),
        "sinks": ("no", "yes"),
        "dv": ("0", "24", "128"),
        "layout_q": tuple(one for one in LAYOUTS if one != "bc"),
        "layout_k": LAYOUTS,
        "layout_v": LAYOUTS,
        "fill": drawn_fills("sdpa"),
    }
    return Choices(levels, _EXCLUDED, _problem, {"m": 8, "n": 2})


def _problem(row: Row) -> Problem:
    said = {name: row[name] for name in ("mask", "over", "hide", "sinks", "dv")}
    said |= {name: row[f"layout_{name}"] for name in _OPERANDS}
    sizes = (row["m"], row["n"], row["size"])
    return problem_of("sdpa", DTYPES[row["dtype"]], sizes, "nt", HEADS[row["heads"]], said)
