"""How does an operand stand in a program: its numbers, its format, and the steps to its view?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import ml_dtypes
import numpy as np

from pytest_applegpu.views import Step, view

WIDTH: Final = 92
"""Characters of a line of numbers."""

INDENT: Final = "    "


@dataclass(frozen=True, slots=True)
class Held:
    """An array that a program starts from.

    Attributes:
        name: what the program calls it.
        dtype: MLX's name of its elements.
        storage: the elements, guards included.
        steps: what leads from the storage to the operand, as in `views`.
    """

    name: str
    dtype: str
    storage: np.ndarray
    steps: tuple[Step, ...] = ()

    @property
    def raw(self) -> np.ndarray:
        """The storage in a format that NumPy itself knows: of bfloat16 its 16 bits."""
        brain = self.storage.dtype == np.dtype(ml_dtypes.bfloat16)
        return self.storage.view(np.uint16) if brain else self.storage


def view_lines(held: Held) -> Iterator[str]:
    """Yield the statements that take a `x` from its storage, by a library `lib`."""
    shape = held.storage.shape
    for name, argument in held.steps:
        yield f"x = {_SAID[name](shape, argument)}"
        # Only the shape is of interest: an array of no memory to speak of stands for the storage.
        shape = view(np.broadcast_to(np.int8(0), shape), ((name, argument),)).shape


def _slice(shape: tuple[int, ...], spans: list[list[int]]) -> str:
    pairs = zip(spans, shape, strict=True)
    return f"x[{', '.join(_span(span, size) for span, size in pairs)}]"


def _span(span: list[int], size: int) -> str:
    start, stop, step = span
    # A negative step runs down to and including element 0, which only an empty end can say.
    first = "" if step > 0 and start == 0 else str(start)
    last = "" if step < 0 or stop == size else str(stop)
    return f"{first}:{last}" + ("" if step == 1 else f":{step}")


_SAID: Final[dict[str, Callable[[tuple[int, ...], Any], str]]] = {
    "slice": _slice,
    "transpose": lambda _, axes: f"lib.transpose(x, {tuple(axes)})",
    "broadcast": lambda _, shape: f"lib.broadcast_to(x, {tuple(shape)})",
    "squeeze": lambda _, axis: f"lib.squeeze(x, {axis})",
    "expand": lambda _, axis: f"lib.expand_dims(x, {axis})",
    "reshape": lambda _, shape: f"lib.reshape(x, {tuple(shape)})",
}
"""Each step by a name that MLX and NumPy share."""


def literal(array: np.ndarray) -> str:
    """Return the expression that makes `array` of numbers in the program's own text.

    `nan` and `inf` stand in it as names. Every number is as short as reads back the same.
    """
    if not array.size:
        return f"np.zeros({array.shape}, np.{array.dtype.name})"
    if array.dtype.kind == "c":
        flat = np.ascontiguousarray(array)[..., None].view(array.real.dtype)
        return f"{literal(flat)}.view(np.{array.dtype.name})[..., 0]"
    text = np.array2string(
        array,
        separator=", ",
        threshold=sys.maxsize,
        floatmode="unique",
        max_line_width=WIDTH,
        prefix=INDENT,
    )
    return f"np.array(\n{INDENT}{text},\n{INDENT}np.{_scalar(array.dtype)},\n)"


def _scalar(dtype: np.dtype[Any]) -> str:
    return "bool_" if dtype.kind == "b" else dtype.name
