"""How does an operand lie, in strides and offsets, that a placement's steps make of its storage?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pytest_applegpu.routing.arrays import Array, broadcast_to, dense, dense_strides, expanded
from pytest_applegpu.views import Placement


def placed(placement: Placement, dtype: str) -> Array:
    """Return the view that a placement's steps make of its storage."""
    array = dense(placement.storage, dtype)
    for name, argument in placement.steps:
        array = _STEPS[name](array, argument)
    return array


def _slice(array: Array, spans: list[list[int]]) -> Array:
    """Return the view of some of the elements; where one is left of an axis, its step is 1.

    A view without elements is dense.
    """
    shape, strides, offset = [], [], array.offset
    for (start, stop, step), size, stride in zip(spans, array.shape, array.strides, strict=True):
        first = start + size if start < 0 else start
        count = -(-(stop - start) // step)
        shape.append(max(count, 0))
        strides.append(stride if count == 1 else stride * step)
        offset += first * stride
    return _view(array, tuple(shape), tuple(strides), offset)


def _transpose(array: Array, axes: list[int]) -> Array:
    shape = tuple(array.shape[axis] for axis in axes)
    strides = tuple(array.strides[axis] for axis in axes)
    return Array(shape, strides, array.dtype, array.offset, array.data_size)


def _squeeze(array: Array, axis: int) -> Array:
    shape = (*array.shape[:axis], *array.shape[axis + 1 :])
    strides = (*array.strides[:axis], *array.strides[axis + 1 :])
    return Array(shape, strides, array.dtype, array.offset, array.data_size)


def _reshape(array: Array, shape: list[int]) -> Array:
    return Array(tuple(shape), dense_strides(tuple(shape)), array.dtype, array.offset)


def _view(array: Array, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Array:
    if not all(shape):
        return dense(shape, array.dtype)
    steps = zip(shape, strides, strict=True)
    span = 1 + sum((size - 1) * abs(stride) for size, stride in steps)
    return Array(shape, strides, array.dtype, offset, span)


_STEPS: Final[dict[str, Callable[[Array, Any], Array]]] = {
    "slice": _slice,
    "transpose": _transpose,
    "broadcast": lambda array, shape: broadcast_to(array, tuple(shape)),
    "squeeze": _squeeze,
    "expand": expanded,
    "reshape": _reshape,
}
