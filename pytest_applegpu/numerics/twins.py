"""Do two results that should be the same one agree?

No reference is needed: one product is made twice, in another way. Bits are asked for where the
arithmetic must be the same; else the difference may reach the sum of both bounds.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.compare import compare_bounded, compare_exact
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.rounding import Array, larger_part, widen


def compare_twins(first: Array, second: Array, allowed: Array, dtype: DType) -> Finding:
    """Hold `second` to `first`, both as stored, of one shape, within `allowed`.

    Where nothing is allowed every bit must agree, zeros of either sign aside. The detail says
    how many elements differ, also of what is within.
    """
    expected = widen(first)
    if allowed.any():
        none = np.zeros(first.shape, bool)
        comparison = compare_bounded(second, expected, allowed, none, dtype)
    else:
        comparison = compare_exact(second, expected, dtype)
    differ = int(np.count_nonzero(~_alike(expected, widen(second))))
    said = f"{differ} of {first.size} elements differ" if differ else "bit-equal"
    finding = replace(comparison.finding, detail=said)
    if finding.passed:
        return replace(finding, verdict="within" if differ else "exact")
    return finding.located(comparison.wrong)


def _alike(x: Array, y: Array) -> Array:
    same: Array = (x == y) | (np.isnan(x) & np.isnan(y))
    return same


def normal_products(A: Array, B: Array, dtype: DType) -> Array:
    """Return for which elements of A B every product is zero or a normal number, (*batch, M, N).

    By the least magnitudes of each row of A and column of B. A product that is subnormal in the
    accumulator is rounded there to a multiple of its least number, which it is not once it is
    scaled. Sums need no such care: where they are subnormal they are exact (Higham 2002, sec. 2.5).
    """
    least = DTYPES["float64" if dtype.name == "float64" else "float32"].smallest_normal
    with np.errstate(over="ignore", under="ignore"):
        found: Array = _least(A, -1) * _least(B, -2) >= least
    return found


def _least(X: Array, axis: int) -> Array:
    """Return the least magnitude along an axis that is not 0, of any part; Inf where none is."""
    wide = widen(X)
    parts = (np.abs(wide.real), np.abs(wide.imag))
    each = np.minimum(*(np.where(part == 0, np.inf, part) for part in parts))
    found: Array = each.min(axis=axis, keepdims=True, initial=np.inf)
    return found


def scaled_exactly(result: Array, power: int, dtype: DType) -> tuple[Array, Array]:
    """Return 2**power times a result, as stored, and where that is what a kernel must give.

    Scaling by a power of two changes no rounding while nothing becomes subnormal or overflows
    (Higham 2002, sec. 2.1): elements near either end of the range are left out.
    """
    wide = widen(result)
    with np.errstate(over="ignore"):
        grown = np.ldexp(wide.real, power)
        if dtype.is_complex:
            grown = grown + 1j * np.ldexp(wide.imag, power)
    size, larger = larger_part(wide), larger_part(grown)
    safe = (size >= dtype.smallest_normal) & (larger <= dtype.largest)
    if dtype.is_complex:
        parts = (np.abs(wide.real), np.abs(wide.imag))
        safe &= np.minimum(*parts) >= dtype.smallest_normal
    with np.errstate(over="ignore"):
        return grown.astype(dtype.numpy), safe
