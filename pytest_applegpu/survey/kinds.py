"""What may stand in a field of a case, as a word on the command line and as JSON?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from pytest_applegpu.dtypes import BY_SHORT
from pytest_applegpu.problem import MOST
from pytest_applegpu.routing.arrays import ITEMSIZE
from pytest_applegpu.routing.layouts import WORDS
from pytest_applegpu.routing.lines import is_finite

REQUIRED: Final = object()
"""Stands where a field has no default."""

_FLAGS: Final = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a field holds: in words, whether a JSON value is it, and how text becomes it."""

    words: str
    holds: Callable[[Any], bool]
    read: Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its kind, and what it is where nothing is said (None: it is left out)."""

    kind: Kind
    default: Any = None


def _is_shape(value: Any) -> bool:
    return isinstance(value, list) and all(
        type(size) is int and 0 <= size <= MOST for size in value
    )


def _is_layout(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    word, _, number = value.partition(":")
    known = {one.partition(":")[0] for one in WORDS}
    whole = number.isascii() and number.isdigit() and len(number) <= len(str(MOST))
    return not value or (word in known and (not number or (whole and int(number) <= MOST)))


def _sizes(text: str) -> list[int]:
    return [] if text == "_" else [int(size) for size in text.split("x")]


def _dtype(text: str) -> str:
    return BY_SHORT[text].name if text in BY_SHORT else text


def choice(*allowed: str) -> Kind:
    """Return the kind of a field that holds one of `allowed`."""
    named = ", ".join(one or "nothing" for one in allowed)
    return Kind(f"one of {named}", lambda value: value in allowed, str)


SHAPE: Final = Kind(f"a list of sizes from 0 to {MOST}, as in 2x64x4096", _is_shape, _sizes)
FLAG: Final = Kind("true or false", lambda value: isinstance(value, bool), _FLAGS.__getitem__)
WHOLE: Final = Kind(
    f"a whole number from 1 to {MOST}", lambda value: type(value) is int and 0 < value <= MOST, int
)
REAL: Final = Kind("a finite number", is_finite, float)
TEXT: Final = Kind(
    "printable text", lambda value: isinstance(value, str) and value.isprintable(), str
)
DTYPE: Final = Kind(
    f"one of {', '.join(ITEMSIZE)}",
    lambda value: isinstance(value, str) and value in ITEMSIZE,
    _dtype,
)
LAYOUT: Final = Kind(f"one of {', '.join(WORDS)}", _is_layout, str)
