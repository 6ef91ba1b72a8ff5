"""What do codes of packed weights mean, and how do they lie in words?

Written from the formats' definitions (OCP Microscaling Formats 1.0; NVFP4: blocks of 16 of E2M1
under an E4M3 scale), never from what a device under test unpacks.
"""

from __future__ import annotations

from typing import Final

import ml_dtypes
import numpy as np

from pytest_applegpu.numerics.rounding import Array

_E2M1: Final = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
"""The eight magnitudes of four bits: two of exponent, one of mantissa."""

E8M0_ONE: Final = 127
"""The code of 2**0 in eight bits of exponent alone."""


def values(codes: Array, mode: str) -> Array:
    """Return what the codes of a mode mean before scaling, float64: whole numbers for affine."""
    if mode == "affine":
        return codes.astype(np.float64)
    if mode == "mxfp8":
        return e4m3(codes)
    sign = np.where(codes & 8, -1.0, 1.0)
    return np.asarray(sign * _E2M1[codes & 7])


def e4m3(codes: Array) -> Array:
    """Return what eight bits mean as E4M3 (with no infinities), float64."""
    return np.asarray(codes.astype(np.uint8).view(ml_dtypes.float8_e4m3fn).astype(np.float64))


def scales(codes: Array, mode: str) -> Array:
    """Return what the codes of scales mean, float64: powers of two, or for nvfp4 E4M3 numbers."""
    if mode == "nvfp4":
        return e4m3(codes)
    return np.asarray(np.ldexp(1.0, codes.astype(np.int64) - E8M0_ONE))


def pack(codes: Array, bits: int) -> Array:
    """Lay codes, shape (..., n), end to end in 32-bit words, the lowest bits first.

    Raises:
        ValueError: a row of codes does not fill whole words.
    """
    *lead, count = codes.shape
    if count * bits % 32:
        raise ValueError(f"{count} codes of {bits} bits do not fill words of 32")
    each = (codes[..., None] >> np.arange(bits)) & 1
    stream = each.reshape(*lead, count * bits).astype(np.uint8)
    packed = np.packbits(stream, axis=-1, bitorder="little")
    return np.ascontiguousarray(packed).view("<u4")
