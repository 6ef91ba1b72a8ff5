"""What are cases of `quantized_matmul` and `gather_qmm` made of?

The axis that is packed has whole groups, so a row counts them rather than its elements.
"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.cases.choices.choices import (
    BATCHES,
    LAYOUTS,
    UNPLAIN,
    Choices,
    unbatched,
    without,
)
from pytest_applegpu.cases.choices.gathered import PICKED, PICKING, STACKS, picking
from pytest_applegpu.cases.fillings import drawn_fills
from pytest_applegpu.cases.packed import FORMATS, said_of
from pytest_applegpu.cases.pairs import Excluded, Row
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.problem import TRANSPOSES, Batch, Problem, problem_of

_WITHOUT_BIASES: Final = tuple(one for one in FORMATS if one[0] != "affine")

_ROWS: Final = (1, 2, 4, 5, 8, 17, 33)
_FREE: Final = (1, 3, 7, 8, 32, 33, 40, 63, 65)
_GROUPS: Final = (1, 2, 3, 4, 9)

_WEIGHTS: Final = ("w", "scales", "biases")


def _levels(op: str, dtypes: tuple[str, ...]) -> dict[str, tuple[object, ...]]:
    return {
        "dtype": dtypes,
        "transpose": TRANSPOSES,
        "m": _ROWS,
        "free": _FREE,
        "groups": _GROUPS,
        "format": FORMATS,
        "a": LAYOUTS,
        **dict.fromkeys(_WEIGHTS, LAYOUTS),
        "fill": drawn_fills(op),
    }


_NO_BIASES: Final[Excluded] = {"format": _WITHOUT_BIASES, "biases": UNPLAIN}

_SIZED: Final = {"m": 1, "free": 1, "groups": 128}


def quantized_matmul(dtypes: tuple[str, ...]) -> Choices:
    """Return the choices of `quantized_matmul`."""
    levels = {**_levels("quantized_matmul", dtypes), "batch": tuple(BATCHES)}
    excluded = (
        _NO_BIASES,
        *unbatched(("a",), without(0)),
        *unbatched(_WEIGHTS, without(1)),
    )
    return Choices(levels, excluded, _problem, _SIZED)


def gather_qmm(dtypes: tuple[str, ...]) -> Choices:
    """Return the choices of `gather_qmm`."""
    levels = {**_levels("gather_qmm", dtypes), **PICKING}
    return Choices(levels, (_NO_BIASES, *picking()), _gathered, _SIZED)


def _problem(row: Row) -> Problem:
    return _made("quantized_matmul", row, BATCHES[row["batch"]], ())


def _gathered(row: Row) -> Problem:
    return _made("gather_qmm", row, STACKS[row["stacks"]], PICKED)


def _made(op: str, row: Row, batches: tuple[Batch, Batch], more: tuple[str, ...]) -> Problem:
    packed = row["groups"] * row["format"][1]
    sizes = (row["free"], packed) if row["transpose"][1] == "t" else (packed, row["free"])
    said = {name: row[name] for name in ("a", *_WEIGHTS, *more)} | said_of(row["format"])
    return problem_of(op, DTYPES[row["dtype"]], (row["m"], *sizes), row["transpose"], batches, said)
