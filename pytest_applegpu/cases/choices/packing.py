"""What are cases of `quantize`, `dequantize` and `qqmm` made of?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.cases.choices.choices import BATCHED, LAYOUTS, UNPLAIN, Choices
from pytest_applegpu.cases.fillings import drawn_fills
from pytest_applegpu.cases.packed import FORMATS, said_of
from pytest_applegpu.cases.pairs import Excluded, Row
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.problem import Batch, Problem, problem_of

_FLOATING: Final = tuple(one for one in FORMATS if one[0] != "affine")

_WEIGHTS: Final = ("w", "scales", "biases")

_PROVEN: Final = tuple(one for one in FORMATS if one[2] > 1)
"""Formats whose codes tell weights apart: one bit rounds each to an end of its group's range."""

_FREE: Final = {"n": 1, "groups": 128}

_BATCHES: Final[dict[str, Batch]] = {"none": (), "b3": (3,), "b2x3": (2, 3)}


def _levels(
    op: str, dtypes: tuple[str, ...], operands: tuple[str, ...]
) -> dict[str, tuple[object, ...]]:
    return {
        "dtype": dtypes,
        "n": (2, 7, 8, 32, 33),
        "groups": (2, 4, 6, 10),
        "format": FORMATS,
        "batch": tuple(_BATCHES),
        **dict.fromkeys(operands, LAYOUTS),
        "fill": drawn_fills(op),
    }


def _unbatched(operands: tuple[str, ...]) -> tuple[Excluded, ...]:
    return tuple({name: BATCHED, "batch": ("none",)} for name in operands)


def quantize(dtypes: tuple[str, ...]) -> Choices:
    """Return the choices of `quantize`."""
    levels = {**_levels("quantize", dtypes, ("w",)), "format": _PROVEN}
    return Choices(levels, _unbatched(("w",)), lambda row: _alone("quantize", row, ("w",)), _FREE)


def dequantize(dtypes: tuple[str, ...]) -> Choices:
    """Return the choices of `dequantize`."""
    excluded = ({"format": _FLOATING, "biases": UNPLAIN}, *_unbatched(_WEIGHTS))
    levels = _levels("dequantize", dtypes, _WEIGHTS)
    return Choices(levels, excluded, lambda row: _alone("dequantize", row, _WEIGHTS), _FREE)


def _alone(op: str, row: Row, operands: tuple[str, ...]) -> Problem:
    said = {name: row[name] for name in operands} | said_of(row["format"])
    batch = _BATCHES[row["batch"]]
    sizes = (1, row["n"], row["groups"] * row["format"][1])
    return problem_of(op, DTYPES[row["dtype"]], sizes, "nt", (batch, batch), said)


def qqmm(dtypes: tuple[str, ...]) -> Choices:
    """Return the choices of `qqmm`, which takes no batch."""
    flat = tuple(one for one in LAYOUTS if one not in BATCHED)
    levels = {
        **_levels("qqmm", dtypes, ("a", "w", "scales")),
        **dict.fromkeys(("a", "w", "scales"), flat),
        "m": (1, 2, 8, 17, 33),
        "given": ("packed", "plain"),
        "transpose": ("nt", "tt"),
        "format": _FLOATING,
    }
    del levels["batch"]
    excluded: tuple[Excluded, ...] = ({"given": ("plain",), "scales": flat[1:]},)
    return Choices(levels, excluded, _both, {**_FREE, "m": 1})


def _both(row: Row) -> Problem:
    names = ("a", "w", "given") if row["given"] == "plain" else ("a", "w", "scales", "given")
    said = {name: row[name] for name in names} | said_of(row["format"])
    sizes = (row["m"], row["n"], row["groups"] * row["format"][1])
    none: tuple[Batch, Batch] = ((), ())
    return problem_of("qqmm", DTYPES[row["dtype"]], sizes, row["transpose"], none, said)
