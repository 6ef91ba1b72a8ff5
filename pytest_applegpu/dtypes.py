"""What each number format holds: significand bits, range, and its NumPy storage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import ml_dtypes
import numpy as np


@dataclass(frozen=True, slots=True)
class DType:
    """One number format as MLX names it.

    `significand` counts bits with the implicit one (float32: 24). For complex formats it, and
    the range, are those of each part. `numpy` is the storage; bfloat16 comes from ml_dtypes.
    """

    name: str
    short: str
    numpy: np.dtype[np.generic]
    significand: int
    largest: float
    smallest_normal: float
    is_complex: bool = False

    @property
    def unit(self) -> float:
        """Unit roundoff of rounding to nearest: 2**-significand (Higham 2002, sec. 2.1)."""
        return 2.0**-self.significand

    @property
    def has_tf32(self) -> bool:
        """Whether TF32 may cut its operands: float32, and complex numbers made of it."""
        return self.numpy in {np.dtype(np.float32), np.dtype(np.complex64)}

    @property
    def itemsize(self) -> int:
        """Bytes an element takes."""
        return self.numpy.itemsize

    @property
    def exact_integer(self) -> int:
        """Largest n such that every integer of magnitude up to n is held exactly."""
        return int(2**self.significand)


def _table() -> dict[str, DType]:
    single, half = np.finfo(np.float32), np.finfo(np.float16)
    double, brain = np.finfo(np.float64), ml_dtypes.finfo(ml_dtypes.bfloat16)  # type: ignore[no-untyped-call]
    rows = (
        DType("float32", "f32", np.dtype(np.float32), 24, float(single.max), float(single.tiny)),
        DType("float16", "f16", np.dtype(np.float16), 11, float(half.max), float(half.tiny)),
        DType(
            "bfloat16",
            "bf16",
            np.dtype(ml_dtypes.bfloat16),
            8,
            float(brain.max),
            float(brain.smallest_normal),
        ),
        DType(
            "complex64",
            "c64",
            np.dtype(np.complex64),
            24,
            float(single.max),
            float(single.tiny),
            is_complex=True,
        ),
        DType("float64", "f64", np.dtype(np.float64), 53, float(double.max), float(double.tiny)),
    )
    return {row.name: row for row in rows}


DTYPES: Final[dict[str, DType]] = _table()
"""Every format by MLX's name for it."""

BY_SHORT: Final[dict[str, DType]] = {row.short: row for row in DTYPES.values()}
"""The same formats by the short name used in case texts."""


def parse_dtype(text: str) -> DType:
    """Return the format called `text`, long (`float16`) or short (`f16`).

    Raises:
        ValueError: no such format; the message lists those there are.
    """
    found = DTYPES.get(text) or BY_SHORT.get(text)
    if found is None:
        raise ValueError(f"dtype {text!r} is not one of {', '.join(DTYPES)}")
    return found
