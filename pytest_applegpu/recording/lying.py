"""Which layout lies in memory as an array of a program does? By trying each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from pytest_applegpu.recording.seen import Array
from pytest_applegpu.views import Placement, place, view

UNLIKE = "{name} lies otherwise in the program: strides {strides}"


@dataclass(frozen=True, slots=True)
class Lying:
    """A matrix or a stack of them: its sizes, whether it is transposed, and its layout.

    `note` says where no layout lies as it does.
    """

    batch: tuple[int, ...]
    rows: int
    cols: int
    transposed: bool = False
    layout: str = "plain"
    note: str = ""


def lying(name: str, array: Array, *, transposes: bool = True) -> Lying:
    """Return how a matrix lies; `transposes` tells whether it may be said to be transposed."""
    *batch, rows, cols = array.shape
    sizes, ways = (tuple(batch), rows, cols), (False, True) if transposes else (False,)
    # A column is stored as such or as a row: here strides along axes of one element tell, and MLX
    # goes by them too.
    for transposed in ways:
        strides = _strides("plain", *sizes, transposed=transposed)
        if array.strides[-2:] == strides[-2:] and _fits(array, strides):
            return Lying(*sizes, transposed)
    for transposed in ways:
        for layout in _layouts(array, transposed=transposed):
            if _fits(array, _strides(layout, *sizes, transposed=transposed)):
                return Lying(*sizes, transposed, layout)
    far = array.strides[-2:]
    unlike = UNLIKE.format(name=name, strides=list(array.strides))
    return Lying(*sizes, transposes and far[0] < far[1], "plain", unlike)


def _layouts(array: Array, *, transposed: bool) -> Iterator[str]:
    """Yield the layouts that may fit, the plainest first."""
    shape, strides = array.shape, array.strides
    (rows, cols), apart = shape[-2:], strides[-2]
    if transposed:
        (rows, cols), apart = (cols, rows), strides[-1]
    yield "plain"
    if len(shape) > 2:
        yield "heads"
        yield "bc"
    if apart > cols:
        yield f"pad:{apart - cols}"
    if len(shape) > 2 and cols and strides[-3] > rows * cols:
        around = strides[-3] // cols - rows
        if around >= 2 and not around % 2:
            yield f"rows:{around // 2}"
    yield "step"
    yield "neg"


def _strides(
    layout: str, batch: tuple[int, ...], rows: int, cols: int, *, transposed: bool
) -> tuple[int, ...]:
    """Return the strides of a layout, in elements."""
    return strides_of(place(layout, batch, rows, cols, transposed=transposed))


def strides_of(placement: Placement) -> tuple[int, ...]:
    """Return the strides of a placement's view, in elements; no memory is taken for it."""
    storage = placement.storage
    steps = [prod(max(size, 1) for size in storage[axis + 1 :]) for axis in range(len(storage))]
    one = np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), storage, steps)
    return view(one, placement.steps).strides


def _fits(array: Array, strides: tuple[int, ...]) -> bool:
    """Tell whether strides are the same along each axis that is longer than one."""
    all_axes = zip(array.shape, array.strides, strides, strict=True)
    return all(own == other for size, own, other in all_axes if size > 1)
