"""What does a number become in another format?"""

from __future__ import annotations

from typing import Any, Final

import ml_dtypes
import numpy as np
import numpy.typing as npt

from pytest_applegpu.dtypes import DType

Array = npt.NDArray[Any]
"""An array whose dtype is known only when it runs."""

_BFLOAT16: Final = np.dtype(ml_dtypes.bfloat16)
_WIDE_BITS: Final = 53


def widen(x: Array) -> Array:
    """Return `x` as float64, complex numbers as complex128; every storage format fits exactly."""
    if x.dtype == _BFLOAT16:
        # Three times as fast as the cast that ml_dtypes registers.
        return (x.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64, copy=False)


def parts(x: Array) -> Array:
    """Return real and imaginary parts of a complex128 array on a new last axis of length 2."""
    return np.ascontiguousarray(x)[..., None].view(np.float64)


def keep_bits(x: Array, bits: int, *, truncate: bool = False) -> Array:
    """Cut float64 (or complex128, by part) to `bits` significant bits; the range stays float64's.

    To nearest, ties to even, or toward zero. Infinities and NaN stay.
    """
    if x.dtype.kind == "c":
        cut = keep_bits(parts(x), bits, truncate=truncate)
        return np.ascontiguousarray(cut).view(np.complex128)[..., 0]
    lost = _WIDE_BITS - bits
    if lost <= 0:
        return x
    word = x.view(np.int64)
    if not truncate:
        word = word + ((1 << (lost - 1)) - 1) + ((word >> lost) & 1)
    cut = (word & -(1 << lost)).view(np.float64)
    return np.where(np.isfinite(x), cut, x)


def round_to(x: Array, dtype: DType) -> Array:
    """Round float64 (or complex128) once, to nearest, to what `dtype` holds; still float64.

    Beyond the largest finite number the result is infinite.
    """
    if dtype.numpy == _BFLOAT16:
        # The registered cast passes through float32 and so rounds twice; what it gets is exact.
        x = np.where(np.abs(x) < dtype.smallest_normal, _grid(x, dtype), keep_bits(x, 8))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        rounded: Array = widen(x.astype(dtype.numpy))
    return rounded


def _grid(x: Array, dtype: DType) -> Array:
    """Round to the even spacing of subnormal numbers."""
    step = dtype.smallest_normal * 2 * dtype.unit
    with np.errstate(over="ignore", invalid="ignore"):
        rounded: Array = np.rint(x / step) * step
    return rounded


def spacing(x: Array, dtype: DType) -> Array:
    """Distance between neighbours in `dtype` at |x| (subnormals included); x is float64."""
    with np.errstate(invalid="ignore"):
        exponent = np.frexp(x)[1]
    lowest = int(np.frexp(dtype.smallest_normal)[1])
    exponent = np.where(x == 0, lowest, np.maximum(exponent, lowest))
    step: Array = np.ldexp(1.0, exponent - dtype.significand)
    return step


def larger_part(x: Array) -> Array:
    """Return |x|, or for complex numbers the larger of the parts' magnitudes."""
    size: Array = np.abs(x.real)
    return np.maximum(size, np.abs(x.imag)) if x.dtype.kind == "c" else size
