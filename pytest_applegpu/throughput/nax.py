"""Is a large product only as fast as it is without the neural accelerators (NAX)?

An MLX built without NAX kernels runs large products about three times slower on a chip that has
them, and prints nothing. MLX's other kernels turn operands of half precision into float32 first, so
that they go at float32's rate whatever the format; NAX multiplies float16 at four times that rate.
"""

from __future__ import annotations

from typing import Final

WORD: Final = "NAX expected, SIMD-class speed"
"""The verdict's word."""

CLASS: Final = 1.25
"""Multiples of the float32 peak up to which a speed is SIMD-class. Peaks are known to some ten per
cent. The slowest large products published with NAX are at 1.5 (bfloat16, 2048, on an M6), the
common ones at 3 and more."""

SIDE: Final = 1024
"""The least M, N and K of a product that is judged: narrower ones leave NAX idle, rightly."""

FLOPS: Final = 2 * 2048**3
"""The least work of a product that is judged: smaller ones end before all cores are busy."""


def is_judged(m: int, n: int, k: int) -> bool:
    """Tell whether a product of this size must show that NAX is used."""
    return min(m, n, k) >= SIDE and 2 * m * n * k >= FLOPS


def simd_class(tflops: float, float32_peak: float) -> str | None:
    """Say in words that a large product's speed is SIMD-class; None where it is beyond that.

    Raises:
        ValueError: the peak is not above 0.
    """
    if not float32_peak > 0:
        raise ValueError(f"a peak of {float32_peak} TFLOP/s is none")
    if tflops > CLASS * float32_peak:
        return None
    return (
        f"{WORD}: {tflops:.4g} TFLOP/s is {tflops / float32_peak:.2f} of the float32 peak without "
        f"NAX ({float32_peak:.4g} TFLOP/s); with NAX a large product is above {CLASS}"
    )
