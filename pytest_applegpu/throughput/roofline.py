"""How much work a second is that, what share of the peak, and can it be true at all?"""

from __future__ import annotations

from typing import Final, NamedTuple

from pytest_applegpu.throughput.slope import Unsound

BELIEVABLE: Final = 1.1
"""Share of the peak up to which a figure is believed: computed peaks rest on boost clocks that
are known to some per cent. Beyond it, work was skipped or the clock is wrong."""


class Rates(NamedTuple):
    """Arithmetic in TFLOP/s (10**12 operations a second) and traffic in GB/s (10**9 bytes)."""

    tflops: float
    gbs: float


def rates(flops: int, bytes: int, seconds: float) -> Rates:  # noqa: A002 - the field's own word
    """Return how fast `flops` operations and `bytes` of least traffic went in `seconds`.

    Raises:
        ValueError: `seconds` is not above 0.
    """
    if not seconds > 0:
        raise ValueError(f"no operation takes {seconds} s")
    return Rates(flops / seconds / 1e12, bytes / seconds / 1e9)


def share(rate: float, peak: float | None) -> float | None:
    """Return `rate` as a share of `peak`, both in the same unit; None where no peak is known."""
    return rate / peak if peak else None


def sound(tflops: float, peak: float | None) -> Unsound | None:
    """Refuse a figure that the hardware cannot reach; None when it is believable.

    Only arithmetic is held to its peak. Small operands stay in caches, so the GB/s of a sound
    measurement may well lie above the memory's.
    """
    reached = share(tflops, peak)
    if reached is None or reached <= BELIEVABLE:
        return None
    return Unsound(
        f"{tflops:.4g} TFLOP/s is {reached:.2f} of the peak of {peak:.4g} TFLOP/s, "
        f"more than {BELIEVABLE} cannot be"
    )
