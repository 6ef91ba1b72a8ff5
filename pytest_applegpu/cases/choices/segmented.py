"""What are cases of `segmented_mm` made of?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.cases.choices.choices import FLAT, SIZES, Choices
from pytest_applegpu.cases.choices.dense import made
from pytest_applegpu.cases.fillings import drawn_fills
from pytest_applegpu.cases.pairs import Row
from pytest_applegpu.forms.segmented import CUTS
from pytest_applegpu.problem import TRANSPOSES, Problem

_SAID: Final = ("a", "b", "segments", "parts", "cut")


def segmented_mm(dtypes: tuple[str, ...]) -> Choices:
    """Return the choices of `segmented_mm`, which takes no batch."""
    levels = {
        "dtype": dtypes,
        "transpose": TRANSPOSES,
        "m": SIZES,
        "n": SIZES,
        "k": (*SIZES, 350),
        "a": FLAT,
        "b": FLAT,
        "segments": FLAT,
        "fill": drawn_fills("segmented_mm"),
        "parts": ("1", "2", "4", "9"),
        "cut": CUTS,
    }
    return Choices(levels, (), _problem)


def _problem(row: Row) -> Problem:
    return made("segmented_mm", row, _SAID, ((), ()))
