"""How many significand bits of each float32 operand reach the product, measured.

An operand of full 24-bit significands times the identity comes out as it went in, if and only if
nothing was cut on the way. What does come out tells how many bits were kept and how they were
rounded, as the probes of Fasi, Higham, Mikaitis and Pranesh (PeerJ CS 2021) do with chosen values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

SIZE: Final = 64
"""Rows and columns: large enough to go where matrices go, not where vectors go."""

FULL: Final = 24
_TF32: Final = range(10, 14)


@dataclass(frozen=True, slots=True)
class Precision:
    """Significand bits kept, and how: "exact", "nearest", "truncated", or "unknown" (bits 0)."""

    bits: int
    rounding: str

    @property
    def name(self) -> str:
        """Return `full float32`, `TF32-class`, or the number of bits."""
        if self.bits == FULL:
            return "full float32"
        if self.bits in _TF32:
            return f"TF32-class ({self.bits} bits, {self.rounding})"
        return f"{self.bits} bits, {self.rounding}" if self.bits else "not any known rounding"

    @property
    def is_tf32(self) -> bool:
        """Tell whether this is TF32-class arithmetic."""
        return self.bits in _TF32


def operands(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return (V, I): float32 of shape (64, 64), V of full 24-bit significands, I the identity."""
    random = np.random.Generator(np.random.Philox(seed))
    whole = random.integers(2**22, 2**23, (SIZE, SIZE)) * 2 + 1
    signs = random.choice(np.array([-1.0, 1.0]), (SIZE, SIZE))
    values = (signs * whole * 2.0**-23).astype(np.float32)
    return values, np.eye(SIZE, dtype=np.float32)


def cut(values: np.ndarray, bits: int, rounding: str) -> np.ndarray:
    """Return float32 `values` with `bits` of significand, "truncated" or rounded to "nearest"."""
    drop = FULL - bits
    if drop <= 0:
        return values
    raw = values.view(np.uint32).astype(np.uint64)
    if rounding == "nearest":
        # Ties go to even: add just under a half, and the last kept bit.
        raw += (
            (np.uint64(1) << np.uint64(drop - 1))
            - np.uint64(1)
            + ((raw >> np.uint64(drop)) & np.uint64(1))
        )
    mask = np.uint64(0xFFFFFFFF) ^ ((np.uint64(1) << np.uint64(drop)) - np.uint64(1))
    return (raw & mask).astype(np.uint32).view(np.float32)


def read(values: np.ndarray, got: np.ndarray) -> Precision:
    """Tell which precision turns `values` into `got` (both float32 of one shape)."""
    if got.shape != values.shape or got.dtype != np.float32:
        return UNKNOWN
    if np.array_equal(values, got):
        return Precision(FULL, "exact")
    for bits in range(FULL - 1, 1, -1):
        for rounding in ("nearest", "truncated"):
            if np.array_equal(cut(values, bits, rounding), got):
                return Precision(bits, rounding)
    return UNKNOWN


def weaker(first: Precision, second: Precision) -> Precision:
    """Return the one of both operands' precisions that keeps fewer bits."""
    return min(first, second, key=lambda precision: precision.bits)


UNKNOWN: Final = Precision(0, "unknown")
"""No result came, or one that no known rounding gives."""
