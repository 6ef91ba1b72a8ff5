"""The emulated `mlx.core`: its public names that a worker uses, done by NumPy.

A worker imports it in MLX's place. Views are laid out as MLX lays them out, where NumPy would
choose other strides: dispatch goes by them. What is emulated stands in the environment; see
`target`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from pytest_applegpu import dtypes
from pytest_applegpu.emulated.arrays import DTYPES, Dtype, View
from pytest_applegpu.emulated.multiply import FORMATS, multiply
from pytest_applegpu.emulated.target import target_of
from pytest_applegpu.routing.arrays import Array, expanded
from pytest_applegpu.routing.arrays import broadcast_to as broadcast_layout
from pytest_applegpu.routing.calls import Matmul
from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.launch import Route

__all__ = [
    "array",
    "async_eval",
    "broadcast_to",
    "clear_cache",
    "cpu",
    "device_info",
    "emulated",
    "eval",
    "expand_dims",
    "gpu",
    "matmul",
    "reshape",
    "set_default_device",
    "squeeze",
    "synchronize",
    "transpose",
    "zeros",
]

_TARGET: Final = target_of(os.environ)

__version__ = _TARGET.version

globals().update(DTYPES)

emulated: Final = SimpleNamespace(is_available=lambda: True)
"""Stands where MLX has `metal` and `cuda`."""

cpu, gpu = "Device(cpu, 0)", "Device(gpu, 0)"


class array(View):  # noqa: N801 - MLX's name
    """`mx.array`."""

    def __matmul__(self, other: array) -> array:
        """Return the matrix product; what stands for `matmul` by now has no part in it."""
        return _product(self, other)


def set_default_device(_: str) -> None:
    """Choose the device: there is one."""


def device_info(_: str) -> dict[str, Any]:
    """Return what is known of the device."""
    has = "yes" if _TARGET.nax else "no"
    return {
        "device_name": f"emulated {_TARGET.arch}",
        "architecture": _TARGET.arch,
        "nax": has,
        "nax_reason": f"generation {_TARGET.gen}, letter {_TARGET.letter}, MLX {_TARGET.version}",
    }


def eval(*_: Any) -> None:  # noqa: A001 - MLX's name
    """Compute what is asked for: it has been."""


async_eval = eval


def synchronize() -> None:
    """Wait until all is computed: it has been."""


def clear_cache() -> None:
    """Give unused memory back: none is kept."""


def zeros(shape: Sequence[int], dtype: Dtype = DTYPES["float32"]) -> array:
    """Return an array of zeros."""
    return array(np.zeros(tuple(shape), dtype.numpy))


def transpose(a: array, axes: Sequence[int] | None = None) -> array:
    """Return a view with the axes in another order."""
    return a.seen(a.values.transpose(axes))


def squeeze(a: array, axis: int) -> array:
    """Return a view without an axis of size 1."""
    return a.seen(a.values.squeeze(axis))


def reshape(a: array, shape: Sequence[int]) -> array:
    """Return the elements in another shape: a view where they lie one after another."""
    if a.values.flags.c_contiguous:
        return a.seen(a.values.reshape(tuple(shape)))
    return array(a.values.reshape(tuple(shape)))


def expand_dims(a: array, axis: int) -> array:
    """Return a view with an axis of size 1 more, its stride being MLX's."""
    return _laid_out(a, expanded(a.layout(), axis))


def broadcast_to(a: array, shape: Sequence[int]) -> array:
    """Return a view in another shape, its strides being MLX's: 0 for every axis of size 1."""
    np.broadcast_shapes(a.shape, tuple(shape))
    return _laid_out(a, broadcast_layout(a.layout(), tuple(shape)))


def _laid_out(a: array, layout: Array) -> array:
    strides = [stride * a.values.itemsize for stride in layout.strides]
    view = np.lib.stride_tricks.as_strided(a.values, layout.shape, strides)
    return a.seen(view)


def matmul(a: array, b: array) -> array:
    """Return the matrix product as the predicted kernels compute it.

    Raises:
        ValueError: the operands are refused by MLX.
        NotImplementedError: their formats differ, which is not emulated.
    """
    return _product(a, b)


def _product(a: array, b: array) -> array:
    dtype = dtypes.DTYPES.get(a.dtype.name)
    if a.dtype != b.dtype:
        raise NotImplementedError(f"{a.dtype} times {b.dtype} is not emulated")
    if a.dtype.name == "float64":
        raise ValueError("float64 is not supported on the GPU")
    route = _route(a.layout(), b.layout())
    if route.error is not None or dtype not in FORMATS or dtype is None:
        raise ValueError(route.error or f"{a.dtype} is not emulated")
    left = a.values[None, :] if a.ndim == 1 else a.values
    right = b.values[:, None] if b.ndim == 1 else b.values
    return array(_without_axes(multiply(left, right, dtype, route), a.ndim, b.ndim))


@cache
def _route(a: Array, b: Array) -> Route:
    return route_of(Matmul(a, b), _TARGET)


def _without_axes(result: np.ndarray, a: int, b: int) -> np.ndarray:
    """Return a result without the axis that a one-dimensional operand had not."""
    rows = result[..., 0, :] if a == 1 else result
    return rows[..., 0] if b == 1 else rows
