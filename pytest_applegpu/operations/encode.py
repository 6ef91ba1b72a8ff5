"""What are weights packed to? A reference written from the definitions, a group at a time.

OCP Microscaling Formats 1.0, sec. 6.3: the shared scale is the largest power of two not above the
largest magnitude, divided by the largest power of two that an element holds; elements are rounded
to nearest, ties to even, and what is beyond the largest becomes the largest. NVFP4: the scale is
the largest magnitude divided by 6, rounded to E4M3, and elements are rounded likewise.
"""

from __future__ import annotations

from typing import Final

import ml_dtypes
import numpy as np

from pytest_applegpu.numerics.rounding import Array
from pytest_applegpu.operations.codes import E8M0_ONE, scales, values

LARGEST: Final = {"mxfp4": 6.0, "nvfp4": 6.0, "mxfp8": 448.0}
"""Largest element of each mode: of E2M1, and of E4M3."""

_TOP_EXPONENT: Final = {"mxfp4": 2, "mxfp8": 8}
"""Exponent of the largest power of two that an element holds."""

_E4M3_LARGEST: Final = 448.0


RULES: Final = ("floor", "ceil")
"""How the exponent of a scale that is a power of two is chosen.

`floor` is the specification's own way. `ceil` takes the smallest power of two by which the largest
magnitude does not leave the elements' range, as NVIDIA's conversions do: both are in use.
"""


def shared_scales(weights: Array, mode: str, group: int, rule: str = "floor") -> Array:
    """Return the codes of scales, uint8, one for each group of weights (float64, finite).

    Of nvfp4, whose scales are no powers of two, there is one rule.
    """
    grouped = _grouped(weights, group)
    largest = np.abs(grouped).max(axis=-1, initial=0.0)
    if mode == "nvfp4":
        found = np.minimum(largest / LARGEST[mode], _E4M3_LARGEST)
        return np.asarray(found.astype(ml_dtypes.float8_e4m3fn).view(np.uint8))
    # frexp gives mantissas from 1/2 to 1: the power of two below is one less, but of a power of two
    # the exponent of the one above is its own.
    if rule == "floor":
        exponent = np.frexp(largest)[1] - 1 - _TOP_EXPONENT[mode]
    else:
        mantissa, above = np.frexp(largest / LARGEST[mode])
        exponent = np.where(mantissa == 0.5, above - 1, above)
    exponent = np.where(largest == 0, -E8M0_ONE, exponent)
    return np.asarray(np.clip(exponent + E8M0_ONE, 0, 2 * E8M0_ONE).astype(np.uint8))


def encode(weights: Array, mode: str, group: int, shared: Array) -> Array:
    """Return the codes of elements, int64 of the weights' shape.

    Args:
        weights: float64, shape (*, columns), finite.
        mode: mxfp4, mxfp8 or nvfp4.
        group: weights that share a scale.
        shared: codes of the scales, uint8, one a group.
    """
    grouped = _grouped(weights, group)
    factors = scales(shared, mode)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.where(factors == 0, 0.0, grouped / factors)
    return _elements(scaled, mode).reshape(weights.shape)


def meaning(weights: Array, mode: str, group: int) -> Array:
    """Return what weights have become once they are packed by the first rule, float64."""
    shared = shared_scales(weights, mode, group)
    codes = encode(weights, mode, group, shared)
    found: Array = values(codes, mode) * np.repeat(scales(shared, mode), group, axis=-1)
    return found


def _grouped(weights: Array, group: int) -> Array:
    """Return weights (*, columns) as (*, groups, group), also where there are none."""
    return weights.reshape(*weights.shape[:-1], weights.shape[-1] // group, group)


def _elements(scaled: Array, mode: str) -> Array:
    clipped = np.clip(scaled, -LARGEST[mode], LARGEST[mode])
    element = ml_dtypes.float8_e4m3fn if mode == "mxfp8" else ml_dtypes.float4_e2m1fn
    found: Array = clipped.astype(element).view(np.uint8).astype(np.int64)
    return found


def unpack(words: Array, bits: int) -> Array:
    """Return the codes that lie end to end in 32-bit words, the lowest bits first, int64."""
    stream = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=-1, bitorder="little")
    each = stream.reshape(*words.shape[:-1], stream.shape[-1] // bits, bits).astype(np.int64)
    found: Array = (each << np.arange(bits)).sum(axis=-1)
    return found
