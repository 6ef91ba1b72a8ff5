"""How is a number rounded to a grid? The modes of rounding, exactly, on fractions."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Final

EVEN: Final = "nearest, ties to even"
AWAY: Final = "nearest, ties away"
ZERO: Final = "truncated"
DOWN: Final = "downward"
UP: Final = "upward"

MODES: Final = (EVEN, AWAY, ZERO, DOWN, UP)


def round_on(value: Fraction, unit: Fraction, mode: str) -> Fraction:
    """Return the multiple of `unit` to which `mode` rounds `value`."""
    steps = value / unit
    return _whole(steps, mode) * unit


def _whole(steps: Fraction, mode: str) -> int:
    if mode == EVEN:
        return round(steps)
    if mode == AWAY:
        away = floor(abs(steps) + Fraction(1, 2))
        return away if steps >= 0 else -away
    if mode == ZERO:
        return int(steps)
    return floor(steps) if mode == DOWN else ceil(steps)
