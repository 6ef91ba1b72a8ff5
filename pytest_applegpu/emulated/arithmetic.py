"""How do the kernels round and add up? Float32 sums in a stated order, each step a fused one.

A fused multiply-add rounds once: a b + c is computed in float64, in which the product of two
float32 numbers is exact, and rounded to float32. (That the sum is rounded to 53 bits before is
seen about once in 2**29 additions, and is below every bound.) Products of operands of up to 12
significant bits are exact in float32 already, and there the sum alone is rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

BLOCK: Final = 1 << 15
"""Sums that are carried on together: as many as stay in a processor's cache."""

EXACT_BITS: Final = 12
"""Significant bits of operands up to which float32 holds their products."""

_SINGLE_BITS: Final = 24


def truncated(values: Array, bits: int) -> Array:
    """Return float32 `values` cut to `bits` of significand, toward zero; NaN stays NaN."""
    mask = np.uint32(0xFFFFFFFF << (_SINGLE_BITS - bits) & 0xFFFFFFFF)
    cut = (np.ascontiguousarray(values).view(np.uint32) & mask).view(np.float32)
    return np.where(np.isnan(values), values, cut)


def chain(left: Array, right: Array, bits: int) -> Array:
    """Return the sums over the first axis of left times right, one product after another.

    Args:
        left: float32 or complex64, shape (K, ...).
        right: the same dtype, shape (K, ...), which broadcasts with that of `left`.
        bits: significant bits that both are known to have at the most.

    A complex product is rounded in each of its operations, none of them fused.
    """
    if left.dtype.kind == "c":
        return _blocks(left, right, _carry_on_plainly)
    if bits <= EXACT_BITS and _in_range(left, right):
        return _blocks(left, right, _carry_on_plainly)
    return _blocks(left.astype(np.float64), right.astype(np.float64), _carry_on_fused)


def _in_range(left: Array, right: Array) -> bool:
    """Tell whether no product of elements overflows or gets near the subnormal numbers."""
    if not (left.size and right.size):
        return True
    sizes = [np.abs(one) for one in (left, right)]
    largest = float(sizes[0].max()) * float(sizes[1].max())
    least = prod(float(np.min(one, where=one > 0, initial=np.inf)) for one in sizes)
    return largest < 2.0**127 and least > 2.0**-100


def _blocks(left: Array, right: Array, carry_on: Callable[[Array, Array, Array], None]) -> Array:
    shape = np.broadcast_shapes(left.shape[1:], right.shape[1:])
    sums = np.zeros(shape, np.complex64 if left.dtype.kind == "c" else np.float32)
    with np.errstate(all="ignore"):
        _split(left, right, sums, carry_on)
    return sums


def _split(
    left: Array, right: Array, sums: Array, carry_on: Callable[[Array, Array, Array], None]
) -> None:
    """Halve the first axis that can be until what is left is a block."""
    axis = next((n for n, size in enumerate(sums.shape) if size > 1), None)
    if sums.size <= BLOCK or axis is None:
        carry_on(left, right, sums)
        return
    middle = sums.shape[axis] // 2
    for part in (slice(None, middle), slice(middle, None)):
        index = (*(slice(None) for _ in range(axis)), part)
        x, y = (
            one if one.shape[axis + 1] == 1 else one[(slice(None), *index)] for one in (left, right)
        )
        _split(x, y, sums[index], carry_on)


def _carry_on_plainly(left: Array, right: Array, sums: Array) -> None:
    product = np.empty_like(sums)
    for k in range(left.shape[0]):
        np.multiply(left[k], right[k], out=product)
        sums += product


def _carry_on_fused(left: Array, right: Array, sums: Array) -> None:
    wide = np.empty(sums.shape, np.float64)
    for k in range(left.shape[0]):
        np.multiply(left[k], right[k], out=wide)
        wide += sums
        sums[...] = wide


def halving(sums: Array) -> Array:
    """Return lane 0 of `sums` (..., lanes) after each lane added the one half as far, and so on.

    This is a loop of `simd_shuffle_down` over 2**n lanes.
    """
    with np.errstate(all="ignore"):
        while sums.shape[-1] > 1:
            half = sums.shape[-1] // 2
            sums = sums[..., :half] + sums[..., half:]
    return sums[..., 0]


def in_turn(sums: Array) -> Array:
    """Return the total of `sums` (..., n), added from the first to the last."""
    with np.errstate(all="ignore"):
        total: Array = np.zeros(sums.shape[:-1], sums.dtype)
        for n in range(sums.shape[-1]):
            total = total + sums[..., n]
    return total
