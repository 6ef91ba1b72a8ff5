"""Are two results the same bits, and if not, how many elements differ, by how many ULP?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_INTEGERS: Final = {2: np.int16, 4: np.int32, 8: np.int64}


@dataclass(frozen=True, slots=True)
class Bits:
    """How two results differ.

    `differing` of `total` elements have other bits (NaN of any bits are alike, zeros of either
    sign are not); `ulp` is the largest distance of two, counted in numbers of the format between
    them, for complex numbers in the worse part; None where the elements are no numbers of a
    floating-point format, or one of the two is NaN. `misfit` says that shapes or formats differ.
    """

    differing: int
    total: int
    ulp: float | None = None
    misfit: str | None = None

    @property
    def identical(self) -> bool:
        """Whether nothing differs."""
        return not self.differing and self.misfit is None


def compare_bits(this: Sequence[Array], other: Sequence[Array]) -> Bits:
    """Compare the arrays that came of one call with those of the same call elsewhere."""
    mine, theirs = ([f"{one.dtype} {one.shape}" for one in parts] for parts in (this, other))
    total = sum(one.size for one in this)
    if mine != theirs:
        return Bits(total, total, misfit=f"{', '.join(mine)} against {', '.join(theirs)}")
    found = [_compared(*pair) for pair in zip(this, other, strict=True)]
    steps = [ulp for count, ulp in found if count]
    worst = None if None in steps else max((ulp for ulp in steps if ulp is not None), default=0.0)
    return Bits(sum(count for count, _ in found), total, worst)


def _compared(this: Array, other: Array) -> tuple[int, float | None]:
    """Return how many elements differ, and the largest distance."""
    this, other = np.ascontiguousarray(this), np.ascontiguousarray(other)
    if this.dtype.kind == "c":
        half = np.float32 if this.dtype.itemsize == 8 else np.float64
        mine, theirs = this.view(half), other.view(half)
        differ = _differ(mine, theirs)
        return int(differ.reshape(-1, 2).any(axis=1).sum()), _distance(mine, theirs, differ)
    differ = _differ(this, other)
    return int(differ.sum()), _distance(this, other, differ)


def _differ(this: Array, other: Array) -> Array:
    mine, theirs = (one.view(f"u{one.dtype.itemsize}") for one in (this, other))
    differ: Array = mine != theirs
    if _floating(this):
        differ &= ~(np.isnan(this) & np.isnan(other))
    return differ


def _floating(array: Array) -> bool:
    """Tell formats of NumPy's own, and bfloat16, from whole numbers."""
    return array.dtype.kind == "f" or array.dtype.name == "bfloat16"


def _distance(this: Array, other: Array, differ: Array) -> float | None:
    if not _floating(this):
        return None
    mine, theirs = this[differ], other[differ]
    if np.isnan(mine).any() or np.isnan(theirs).any():
        return None
    one, two = _ordered(mine), _ordered(theirs)
    apart = np.where(
        (one < 0) == (two < 0), np.abs(one - two).astype(np.float64), abs(one.astype(float) - two)
    )
    return float(apart.max(initial=0.0))


def _ordered(values: Array) -> Array:
    """Return whole numbers that are as far apart as the values are in numbers of their format."""
    signed = _INTEGERS[values.dtype.itemsize]
    words = np.ascontiguousarray(values).view(signed).astype(np.int64)
    top = 8 * values.dtype.itemsize - 1
    magnitude = words & ((1 << top) - 1)
    return np.where(words < 0, -magnitude, magnitude)
