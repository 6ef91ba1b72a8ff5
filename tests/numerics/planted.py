"""Honest products, and faulty ones as kernels get them wrong, in NumPy alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.rounding import keep_bits, widen

Array = npt.NDArray[Any]
Product = Callable[[Array, Array, DType], Array]

_ACCUMULATORS = {"float64": np.float64, "complex64": np.complex64}


def summed(A: Array, B: Array, dtype: DType) -> Array:
    """Return A B as the accumulator holds it: float32, or the format's own."""
    kind = _ACCUMULATORS.get(dtype.name, np.float32)
    with np.errstate(all="ignore"):
        result: Array = A.astype(kind) @ B.astype(kind)
    return result


def stored(sums: Array, dtype: DType) -> Array:
    with np.errstate(all="ignore"):
        return sums.astype(dtype.numpy)


def honest(A: Array, B: Array, dtype: DType) -> Array:
    return stored(summed(A, B, dtype), dtype)


def without_tail(lost: int) -> Product:
    def faulty(A: Array, B: Array, dtype: DType) -> Array:
        return honest(A[..., :-lost], B[..., :-lost, :], dtype)

    return faulty


def cut(bits: int, *, truncate: bool) -> Product:
    def faulty(A: Array, B: Array, dtype: DType) -> Array:
        a, b = (keep_bits(widen(X), bits, truncate=truncate) for X in (A, B))
        return honest(a, b, dtype)

    return faulty


def truncated(A: Array, B: Array, dtype: DType) -> Array:
    """Cut the accumulator's sum on output instead of rounding it."""
    sums = widen(summed(A, B, dtype))
    return keep_bits(sums, dtype.significand, truncate=True).astype(dtype.numpy)


def half_blocks(size: int) -> Product:
    """Sum blocks of K in float32, and the blocks in float16; a size of 1 rounds each product."""

    def faulty(A: Array, B: Array, dtype: DType) -> Array:
        total = np.zeros(1, np.float16)
        with np.errstate(all="ignore"):
            for start in range(0, A.shape[-1], size):
                span = slice(start, start + size)
                part = A[..., span].astype(np.float32) @ B[..., span, :].astype(np.float32)
                total = total + part.astype(np.float16)
        return stored(total.astype(np.float32), dtype)

    return faulty


def half_pairwise(A: Array, B: Array, dtype: DType) -> Array:
    """Sum float16 products by NumPy's own reduction: eight lanes, then in pairs."""
    with np.errstate(all="ignore"):
        products = (
            A.astype(np.float32)[..., :, None, :]
            * np.swapaxes(B, -1, -2).astype(np.float32)[..., None, :, :]
        )
        sums = np.add.reduce(products.astype(np.float16), axis=-1, dtype=np.float16)
    return stored(sums.astype(np.float32), dtype)


def zero_result(A: Array, B: Array, dtype: DType) -> Array:
    return np.zeros_like(honest(A, B, dtype))


def last_row_stale(A: Array, B: Array, dtype: DType) -> Array:
    C = honest(A, B, dtype)
    C[..., -1, :] = C[..., -2, :]
    return C


def last_row_zero(A: Array, B: Array, dtype: DType) -> Array:
    C = honest(A, B, dtype)
    C[..., -1, :] = 0
    return C


def last_column_zero(A: Array, B: Array, dtype: DType) -> Array:
    C = honest(A, B, dtype)
    C[..., -1] = 0
    return C


def columns_swapped(A: Array, B: Array, dtype: DType) -> Array:
    C = honest(A, B, dtype)
    C[..., [1, 4]] = C[..., [4, 1]]
    return C


def batch_repeated(A: Array, B: Array, dtype: DType) -> Array:
    C = honest(A, B, dtype)
    C[1] = C[0]
    return C


def chunk_lost(A: Array, B: Array, dtype: DType) -> Array:
    left = A.copy()
    left[..., 32:64] = 0
    return honest(left, B, dtype)


def transposed_a(A: Array, B: Array, dtype: DType) -> Array:
    m, k = A.shape[-2:]
    return honest(np.swapaxes(A.reshape(*A.shape[:-2], k, m), -1, -2), B, dtype)


def tail_lost_in_last_columns(A: Array, B: Array, dtype: DType) -> Array:
    """Lose three elements of K, but in the last tile of columns only."""
    C = honest(A, B, dtype)
    C[..., -16:] = without_tail(3)(A, B[..., -16:], dtype)
    return C
