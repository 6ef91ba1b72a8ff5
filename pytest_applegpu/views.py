"""How an operand lies in memory: a storage array and the steps that make a view of it.

The same steps are taken by NumPy here, for the reference, and by MLX in the worker, so both see
the same logical matrix. Whatever lies in the storage outside the view is a guard: it is filled
with NaN and must never be read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

Step = tuple[str, Any]
"""One step: ("slice", [[start, stop, step], ...]), ("transpose", axes), ("broadcast", shape),
("squeeze", axis), ("expand", axis) or ("reshape", shape). JSON as it is."""

LAYOUTS: Final[dict[str, str]] = {
    "plain": "row-contiguous",
    "pad": "column slice: rows lie n elements further apart than they are long",
    "rows": "row slice: n rows before and after belong to others",
    "off": "starts n elements into its buffer",
    "step": "every second column of its buffer",
    "neg": "rows stored last to first, read through a negative step",
    "axis": "an axis of length one inserted before the rows and taken out again",
    "bc": "one matrix for the whole batch, by a stride of 0",
    "heads": "the last batch axis and the rows are stored swapped",
    "vec": "a one-dimensional array",
}
"""Every layout, without its number, and what it means."""

_NUMBERED: Final = frozenset({"pad", "rows", "off"})


@dataclass(frozen=True, slots=True)
class Placement:
    """A storage shape and the steps from it to the operand."""

    storage: tuple[int, ...]
    steps: tuple[Step, ...]


def parse_layout(text: str) -> tuple[str, int]:
    """Split a layout such as `pad:8` into its name and number (0 where it takes none).

    Raises:
        ValueError: no such layout, or a number missing, unwanted or below 1.
    """
    name, colon, number = text.partition(":")
    if name not in LAYOUTS:
        raise ValueError(f"layout {text!r} is not one of {', '.join(LAYOUTS)}")
    if name in _NUMBERED:
        if not (number.isascii() and number.isdigit() and int(number) > 0):
            raise ValueError(f"layout {text!r} needs a whole number above 0, as in {name}:8")
        return name, int(number)
    if colon:
        raise ValueError(f"layout {text!r} takes no number: write {name}")
    return name, 0


def place(
    layout: str, batch: tuple[int, ...], rows: int, cols: int, *, transposed: bool
) -> Placement:
    """Lay an operand of logical shape (*batch, rows, cols) out in memory.

    A transposed operand is laid out as (cols, rows), then its last two axes are swapped, so that
    the layout describes the storage, as BLAS's leading dimension does.

    Raises:
        ValueError: `layout` does not fit the shape (`bc` and `heads` need a batch axis, `vec` a
            vector without one).
    """
    name, number = parse_layout(layout)
    shape = (*batch, cols, rows) if transposed else (*batch, rows, cols)
    placement = _PLACERS[name](shape, number)
    if transposed and name != "vec":
        swap = (*range(len(batch)), len(batch) + 1, len(batch))
        return Placement(placement.storage, (*placement.steps, ("transpose", list(swap))))
    return placement


_WHOLE_ROWS: Final = frozenset({"rows", "neg"})


def place_vector(layout: str, shape: tuple[int, ...]) -> Placement:
    """Lay a vector out in memory, or a stack of vectors.

    A vector is laid out as a single row, or where the layout is about rows as a single column,
    whose axis of length one is taken out again.

    Raises:
        ValueError: `layout` is for matrices alone.
    """
    name, _ = parse_layout(layout)
    if name == "vec":
        raise ValueError("layout vec is for a matrix of a single row or column")
    if len(shape) > 1:
        return place(layout, shape[:-2], *shape[-2:], transposed=False)
    if name == "plain":
        return Placement(shape, ())
    if not shape:
        raise ValueError(f"layout {layout} needs an axis, and a single number has none")
    column = name in _WHOLE_ROWS
    rows, cols = (shape[0], 1) if column else (1, shape[0])
    placement = place(layout, (), rows, cols, transposed=False)
    return Placement(placement.storage, (*placement.steps, ("squeeze", 1 if column else 0)))


def _slices(shape: tuple[int, ...], **last: tuple[int, int, int]) -> Step:
    """Slice step over `shape`: everything, except the axes named `rows` and `cols`."""
    spans = [[0, size, 1] for size in shape]
    for axis, name in ((-2, "rows"), (-1, "cols")):
        if name in last:
            spans[axis] = list(last[name])
    return ("slice", spans)


def _plain(shape: tuple[int, ...], _: int) -> Placement:
    return Placement(shape, ())


def _pad(shape: tuple[int, ...], extra: int) -> Placement:
    before = extra // 2
    cut = _slices(shape, cols=(before, before + shape[-1], 1))
    return Placement((*shape[:-1], shape[-1] + extra), (cut,))


def _rows(shape: tuple[int, ...], extra: int) -> Placement:
    cut = _slices(shape, rows=(extra, extra + shape[-2], 1))
    return Placement((*shape[:-2], shape[-2] + 2 * extra, shape[-1]), (cut,))


def _off(shape: tuple[int, ...], offset: int) -> Placement:
    size = int(np.prod(shape))
    cut = ("slice", [[offset, offset + size, 1]])
    return Placement((offset + size,), (cut, ("reshape", list(shape))))


def _step(shape: tuple[int, ...], _: int) -> Placement:
    cut = _slices(shape, cols=(0, 2 * shape[-1], 2))
    return Placement((*shape[:-1], 2 * shape[-1]), (cut,))


def _neg(shape: tuple[int, ...], _: int) -> Placement:
    return Placement(shape, (_slices(shape, rows=(-1, -shape[-2] - 1, -1)),))


def _axis(shape: tuple[int, ...], _: int) -> Placement:
    where = len(shape) - 2
    return Placement(shape, (("expand", where), ("squeeze", where)))


def _bc(shape: tuple[int, ...], _: int) -> Placement:
    if len(shape) < 3:
        raise ValueError("layout bc needs a batch")
    return Placement(shape[-2:], (("broadcast", list(shape)),))


def _heads(shape: tuple[int, ...], _: int) -> Placement:
    if len(shape) < 3:
        raise ValueError("layout heads needs a batch")
    axes = [*range(len(shape) - 3), len(shape) - 2, len(shape) - 3, len(shape) - 1]
    return Placement(tuple(shape[axis] for axis in axes), (("transpose", axes),))


def _vec(shape: tuple[int, ...], _: int) -> Placement:
    if len(shape) > 2 or 1 not in shape:
        raise ValueError("layout vec needs a single row or column and no batch")
    return Placement((shape[0] * shape[1],), ())


_PLACERS: Final = {
    "plain": _plain,
    "pad": _pad,
    "rows": _rows,
    "off": _off,
    "step": _step,
    "neg": _neg,
    "axis": _axis,
    "bc": _bc,
    "heads": _heads,
    "vec": _vec,
}


def view(storage: np.ndarray, steps: tuple[Step, ...]) -> np.ndarray:
    """Take `steps` on a NumPy array; the result is a view of it."""
    for name, argument in steps:
        storage = _TAKE[name](storage, argument)
    return storage


def _slice(array: np.ndarray, spans: list[list[int]]) -> np.ndarray:
    # A negative step runs down to and including element 0, which only None can say.
    return array[tuple(slice(a, None if s < 0 else b, s) for a, b, s in spans)]


_TAKE: Final[dict[str, Callable[..., np.ndarray]]] = {
    "slice": _slice,
    "transpose": np.transpose,
    "broadcast": np.broadcast_to,
    "squeeze": np.squeeze,
    "expand": np.expand_dims,
    "reshape": np.reshape,
}


def store(placement: Placement, operand: np.ndarray, guard: float = np.nan) -> np.ndarray:
    """Return a new storage array whose view is `operand`, with `guard` everywhere outside it.

    Raises:
        ValueError: `guard` is not a number, and the operand holds whole numbers.
    """
    storage = np.full(placement.storage, guard, operand.dtype)
    steps = placement.steps
    if steps and steps[0][0] == "broadcast":
        if operand.size:
            one = operand[(0,) * (operand.ndim - 2)]
            storage[...] = one if len(steps) == 1 else one.T
        return storage
    target = view(storage, steps)  # of one axis, where the layout is vec
    target[...] = operand.reshape(target.shape)
    return storage
