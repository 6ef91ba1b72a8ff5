"""What does the predicted route do to these operands? From launches to numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from math import prod
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.emulated import orders
from pytest_applegpu.emulated.arithmetic import Array, truncated
from pytest_applegpu.routing.launch import Launch, Route

NAX_BITS: Final = 11
"""Significant bits of a float32 operand that the neural accelerators keep."""

Order = Callable[[Array, Array, int], Array]
Numbers = dict[str, int]


def multiply(a: Array, b: Array, dtype: DType, route: Route) -> Array:
    """Return A B as `route` computes it.

    Args:
        a: shape (*batch, M, K), in the storage of `dtype`.
        b: shape (*batch, K, N), the same; the batches broadcast.
        dtype: format of both operands and of the result.
        route: the launches predicted for them.

    Raises:
        NotImplementedError: a kernel among the launches is none of those that are modelled.
    """
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    shape = (*batch, a.shape[-2], b.shape[-1])
    launch = next((one for one in route.launches if one.role == "matmul"), None)
    if launch is None:
        return np.zeros(shape, dtype.numpy)
    left, right = (_stacked(one, batch) for one in (a, b))
    bits = dtype.significand
    if "_nax_" in launch.kernel and dtype.name == "float32":
        left, right, bits = truncated(left, NAX_BITS), truncated(right, NAX_BITS), NAX_BITS
    sums = order_of(launch, dtype)(left, right, bits)
    with np.errstate(all="ignore"):
        result: Array = sums.astype(dtype.numpy).reshape(shape)
    return result


def _stacked(operand: Array, batch: tuple[int, ...]) -> Array:
    """Return an operand as (batch, rows, columns) in what its products are made in."""
    shape = operand.shape[-2:]
    wide = operand.astype(np.complex64 if operand.dtype.kind == "c" else np.float32)
    return np.broadcast_to(wide, (*batch, *shape)).reshape(prod(batch), *shape)


def order_of(launch: Launch, dtype: DType) -> Order:
    """Return the order in which the kernel of `launch` adds up.

    Raises:
        NotImplementedError: the kernel is none of those that are modelled.
    """
    for beginning, order in _ORDERS.items():
        if launch.kernel.startswith(beginning):
            numbers = {name: int(value) for name, value in _PARTS.findall(launch.kernel)}
            return order(numbers | dict(launch.params), dtype)
    raise NotImplementedError(f"kernel {launch.kernel} is not emulated")


_PARTS: Final = re.compile(r"_([a-z]+)(\d+)(?![^_])")
"""Names and numbers of a kernel's name, such as `_bm64`."""


def _dot(_: Numbers, dtype: DType) -> Order:
    return partial(orders.dot, vector_size=16 // dtype.itemsize)


def _wide(numbers: Numbers, _: DType) -> Order:
    return partial(orders.wide, lanes=numbers["kl"])


def _down(numbers: Numbers, _: DType) -> Order:
    bm, sm, tm = (numbers[name] for name in ("bm", "sm", "tm"))
    return partial(orders.vector, groups=bm, lanes=sm, run=tm)


def _along(numbers: Numbers, _: DType) -> Order:
    bn, sn, tn = (numbers[name] for name in ("bn", "sn", "tn"))
    return partial(orders.vector, groups=bn, lanes=sn, run=tn)


def _thin(numbers: Numbers, _: DType) -> Order:
    return partial(orders.thin, groups=numbers["ks"])


def _split(numbers: Numbers, _: DType) -> Order:
    count, size = numbers["partitions"], numbers["partition_size"]
    return partial(orders.partitions, count=count, size=size)


def _whole(_: Numbers, __: DType) -> Order:
    return orders.matrices


_ORDERS: Final[dict[str, Callable[[Numbers, DType], Order]]] = {
    "dot_product_": _dot,
    "gemv_wide_": _wide,
    "gemv_t_": _down,
    "gemv_": _along,
    "steel_gemm_thin_nax_": _thin,
    "steel_gemm_splitk_": _split,
    "steel_gemm_fused_": _whole,
}
"""Orders by how a kernel's name begins; the first that fits holds."""

FORMATS: Final = tuple(DTYPES[name] for name in ("float32", "float16", "bfloat16", "complex64"))
"""Formats that Metal multiplies."""
