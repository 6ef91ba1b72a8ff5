"""What are cases of `conv1d` and `conv2d` made of?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.cases.choices.choices import LAYOUTS, Choices
from pytest_applegpu.cases.fillings import drawn_fills
from pytest_applegpu.cases.pairs import Excluded, Row
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.problem import Problem, problem_of

_WIDTH: Final = 8

_EXCLUDED: Final[tuple[Excluded, ...]] = (
    {"taps": ("1", "2"), "pad": ("1",)},
    # The last tap of a single row lies in the padding, and nothing would tell that it was lost.
    {"rows": (1,), "pad": ("1",)},
)


def _levels(op: str, dtypes: tuple[str, ...]) -> dict[str, tuple[object, ...]]:
    return {
        "dtype": dtypes,
        "rows": (1, 2, 5, 8),
        "n": (1, 3, 16, 32, 33),
        "channels": (1, 3, 8, 16, 33),
        "images": (1, 2, 5),
        "taps": ("1", "2", "3", "5"),
        "pad": ("0", "1"),
        "input": LAYOUTS,
        "weight": tuple(one for one in LAYOUTS if one != "bc"),
        "fill": drawn_fills(op),
    }


_FREE: Final = {"rows": 64, "n": 8, "channels": 25}


def conv1d(dtypes: tuple[str, ...]) -> Choices:
    """Return the choices of `conv1d`, of 8 places and more."""
    return Choices(
        _levels("conv1d", dtypes), _EXCLUDED, lambda row: _problem("conv1d", row, 1), _FREE
    )


def conv2d(dtypes: tuple[str, ...]) -> Choices:
    """Return the choices of `conv2d`, of rows of 8 places."""
    return Choices(
        _levels("conv2d", dtypes), _EXCLUDED, lambda row: _problem("conv2d", row, 2), _FREE
    )


def _choices(op: str, dtypes: tuple[str, ...], dimensions: int) -> Choices:
    levels = _levels(op, dtypes)
    return Choices(levels, _EXCLUDED, lambda row: _problem(op, row, dimensions), _FREE)


def _problem(op: str, row: Row, dimensions: int) -> Problem:
    said = {name: row[name] for name in ("taps", "pad", "input", "weight")}
    k = row["channels"] * int(row["taps"]) ** dimensions
    images = (row["images"],)
    sizes = (row["rows"] * _WIDTH, row["n"], k)
    return problem_of(op, DTYPES[row["dtype"]], sizes, "nt", (images, images), said)
