"""Which kernel picks between an array and a scalar by a mask?"""

from __future__ import annotations

from pytest_applegpu.routing.arrays import Array, broadcast_to
from pytest_applegpu.routing.copies import (
    INT32_MAX,
    Walk,
    collapsed,
    walk_memory,
    walk_strides,
)
from pytest_applegpu.routing.elementwise import walked
from pytest_applegpu.routing.launch import Launch


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
    return _select(walk_memory(name, values, large=values.size > INT32_MAX), values)


def _strided(condition: Array, values: Array) -> Launch:
    nowhere = (0,) * values.ndim
    shape, _ = collapsed(values.shape, condition.strides, values.strides, nowhere)
    large = max(condition.data_size, values.size) > INT32_MAX
    return _select(walk_strides(shape, large=large), values)


def _select(walk: Walk, values: Array) -> Launch:
    return walked(walk, f"Select{values.dtype}")
