"""Bits that are lost: of operands, of results, at the edge of the subnormal numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call import Call
from .fault import Numbers, call_fault, operands_fault, result_fault
from .library import bfloat16_words
from .sizes import HALF, REAL, Sizes

Pair = tuple[Numbers, Numbers]

SINGLE = frozenset({"float32"})
BRAIN = frozenset({"bfloat16"})
DOUBLE = frozenset({"float64"})


def cut(numbers: Numbers, bits: int) -> Numbers:
    """Truncate float32 to `bits` of significand."""
    mask = np.uint32((0xFFFFFFFF << (24 - bits)) & 0xFFFFFFFF)
    return (np.ascontiguousarray(numbers, np.float32).view(np.uint32) & mask).view(np.float32)


def to_bfloat16(numbers: Numbers) -> Numbers:
    """Round float32 to bfloat16 and back."""
    return (bfloat16_words(numbers).astype(np.uint32) << np.uint32(16)).view(np.float32)


@operands_fault(formats=SINGLE, fills=("onehot", "normal", "uniform"))
def bfloat16_operands(a: Numbers, b: Numbers, sizes: Sizes) -> Pair:
    """Cut both float32 operands to bfloat16."""
    return to_bfloat16(a), to_bfloat16(b)


@operands_fault(
    formats=SINGLE,
    tf32_off=True,
    fills=("onehot", "normal", "uniform"),
)
def tf32_while_off(a: Numbers, b: Numbers, sizes: Sizes) -> Pair:
    """Cut float32 operands to 11 bits although TF32 is off."""
    return cut(a, 11), cut(b, 11)


@operands_fault(
    lambda s: s.filled and s.m > 1 and s.n > 1,
    formats=SINGLE,
    tf32_off=True,
    fills=("onehot", "normal", "uniform"),
)
def one_operand_cut(a: Numbers, b: Numbers, sizes: Sizes) -> Pair:
    """Cut B alone to 11 bits although TF32 is off."""
    return a, cut(b, 11)


@operands_fault(formats=BRAIN, fills=("onehot", "normal"))
def bfloat16_as_seven_bits(a: Numbers, b: Numbers, sizes: Sizes) -> Pair:
    """Drop the last bit of bfloat16 operands."""
    return cut(a, 7), cut(b, 7)


@operands_fault(formats=DOUBLE, fills=("onehot", "normal"))
def float64_as_float32(a: Numbers, b: Numbers, sizes: Sizes) -> Pair:
    """Cut float64 operands to float32."""
    return a.astype(np.float32).astype(np.float64), b.astype(np.float32).astype(np.float64)


def toward_zero(wide: Numbers, name: str) -> Numbers:
    """Truncate float64 to the format `name`, float16 or bfloat16, as numbers."""
    if name == "float16":
        near = wide.astype(np.float16)
        below = np.nextafter(near, np.float16(0))
        return np.where(np.abs(near.astype(np.float64)) > np.abs(wide), below, near)
    near = wide.astype(np.float32)
    below = np.nextafter(near, np.float32(0))
    return cut(np.where(np.abs(near.astype(np.float64)) > np.abs(wide), below, near), 8)


@call_fault(formats=HALF, fills=("round",))
def truncated_result(call: Call) -> Any:
    """Truncate results of half precision instead of rounding them."""
    with np.errstate(all="ignore"):
        wide = np.matmul(*(one.astype(np.float64) for one in call.operands()))
        return call.give(toward_zero(wide, call.sizes.dtype))


@call_fault(formats=BRAIN, fills=("round",))
def rounded_twice(call: Call) -> Any:
    """Round bfloat16 results to float16 first."""
    with np.errstate(all="ignore"):
        wide = call.multiply(*call.operands(), "float32")
        return call.give(wide.astype(np.float16).astype(np.float32))


SMALLEST = {"float32": 2.0**-126, "bfloat16": 2.0**-126, "float16": 2.0**-14}


@result_fault(formats=REAL, fills=("tiny",))
def small_flushed(c: Numbers, sizes: Sizes) -> Numbers:
    """Flush to zero what is normal but small: below 8 K times (float16: 8 times) the smallest."""
    near = 8.0 * (1 if sizes.dtype == "float16" else sizes.k) * SMALLEST[sizes.dtype]
    c[np.abs(c) < near] = 0
    return c
