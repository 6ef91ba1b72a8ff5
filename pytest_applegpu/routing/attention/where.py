"""Which kernel picks between an array and a scalar by a mask?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.routing.arrays import Array, broadcast_to
from pytest_applegpu.routing.copies import (
    INT32_MAX,
    MOST_THREADS,
    block_dims,
    ceil_div,
    collapsed,
    grid_2d,
    work_per_thread,
)
from pytest_applegpu.routing.launch import Launch, Triple

_SPECIALISED: Final = 3
"""Dimensions up to which the strided kernel has a form of its own."""


def select(condition: Array, values: Array) -> Launch:
    """Return the launch that keeps `values` where `condition` holds, else takes a scalar.

    `values` is dense; the condition broadcasts to its shape.
    """
    condition = broadcast_to(condition, values.shape)
    if values.size == 1:
        return _flat("v", values)
    if condition.row_contiguous:
        return _flat("vs", values)
    return _strided(condition, values)


def _flat(name: str, values: Array) -> Launch:
    large = values.size > INT32_MAX
    per_thread = work_per_thread(values.dtype, values.size)
    threads = ceil_div(values.size, per_thread)
    grid = grid_2d(values.shape, values.strides, per_thread) if large else (threads, 1, 1)
    name += "2" if large else "n" if per_thread > 1 else ""
    return _launch(name, values, grid, (min(MOST_THREADS, threads), 1, 1))


def _strided(condition: Array, values: Array) -> Launch:
    nowhere = (0,) * values.ndim
    shape, _ = collapsed(values.shape, condition.strides, values.strides, nowhere)
    large = max(condition.data_size, values.size) > INT32_MAX
    dim0 = shape[-1]
    dim1 = shape[-2] if len(shape) > 1 else 1
    rest = values.size // (dim0 * dim1)
    name = f"g{len(shape)}"
    if len(shape) > _SPECIALISED:
        per_thread = 4 if large else 2
        name = f"gn{per_thread}"
        dim0 = ceil_div(dim0, per_thread)
    grid = dim0, dim1, rest
    return _launch(f"{name}large" if large else name, values, grid, block_dims(*grid))


def _launch(name: str, values: Array, grid: Triple, group: Triple) -> Launch:
    kernel = f"{name}_Select{values.dtype}"
    return Launch(kernel, "elementwise", grid, group, "threads", label="elementwise", staged=0)
