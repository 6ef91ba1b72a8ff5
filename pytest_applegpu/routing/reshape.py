"""Is another shape of an array a view, or a copy?"""

from __future__ import annotations

from math import prod

from pytest_applegpu.routing.arrays import Array, Shape, dense, dense_strides
from pytest_applegpu.routing.copies import INT32_MAX, general_copy
from pytest_applegpu.routing.launch import Tape


def reshaped(tape: Tape, array: Array, shape: Shape) -> Array:
    """Return `array` in another shape of as many elements: a view where one exists, else a copy.

    Memory that is already row-major, or empty, is always a view.
    """
    if array.shape == shape:
        return array
    if array.size == 0 or array.row_contiguous:
        return _view(array, shape, dense_strides(shape))
    strides = _strides(array, shape) if array.ndim else (0,) * len(shape)
    if strides is not None:
        return _view(array, shape, strides)
    tape.because("no view has this shape: copied", f"strides {array.strides}, {shape}")
    tape.add(general_copy(array, dense(array.shape, array.dtype)))
    return dense(shape, array.dtype)


def flattened(tape: Tape, array: Array) -> Array:
    """Return `array` with all axes but the last one made one: rows."""
    return reshaped(tape, array, (prod(array.shape[:-1]), array.shape[-1]))


def _view(array: Array, shape: Shape, strides: Shape) -> Array:
    return Array(shape, strides, array.dtype, array.offset, array.data_size)


def _strides(array: Array, shape: Shape) -> Shape | None:
    """Return the strides of a view, None where there is none.

    Each axis of the new shape must divide what is left of a run of axes that lie one after another.
    """
    runs = _runs(array)
    strides: list[int] = []
    at = 0
    for size in shape:
        if at < len(runs) and runs[at][0] % size == 0:
            runs[at][0] //= size
            strides.append(runs[at][0] * runs[at][1])
            at += runs[at][0] == 1
        elif size == 1:
            strides.append(strides[-1])
        else:
            return None
    return tuple(strides)


def _runs(array: Array) -> list[list[int]]:
    """Return sizes and strides of axes merged where they lie one after another.

    The first axis stays even with size 1; others of size 1 fall away.
    """
    runs = [[array.shape[0], array.strides[0]]]
    for size, stride in zip(array.shape[1:], array.strides[1:], strict=True):
        if size == 1:
            continue
        if stride * size == runs[-1][1] and runs[-1][0] * size <= INT32_MAX:
            runs[-1] = [runs[-1][0] * size, stride]
        else:
            runs.append([size, stride])
    return runs
