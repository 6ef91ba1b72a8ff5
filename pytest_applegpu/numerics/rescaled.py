"""Is the result the right one times a constant, or without its sign?"""

from __future__ import annotations

from typing import Final

import numpy as np

from pytest_applegpu.numerics.evidence import Evidence
from pytest_applegpu.numerics.rounding import Array, larger_part

_LEAST: Final = 4
"""Elements that must be wrong, and for a sign also differ: fewer agree by chance."""

_TWO: Final = 2
"""Different values that a constant must fit: one of them gives it."""

_DIGITS: Final = 3
"""Significant digits of a constant that is looked for: 2, -1, 0.125."""

_NEAR_ONE: Final = 0.05
"""A constant as near to 1 as this is what rounding makes of results of like size."""


def sign_lost(evidence: Evidence) -> str | None:
    """Every element is the right one's magnitude, or its negative."""
    if _different(evidence.exact) < _LEAST or np.count_nonzero(evidence.wrong) < _LEAST:
        return None
    if evidence.fits(-evidence.exact, evidence.slack):
        return "the result is negated"
    real = not evidence.dtype.is_complex
    if real and evidence.fits(np.abs(evidence.exact), evidence.slack):
        return "the result has lost its sign (absolute values)"
    return None


def scaled(evidence: Evidence, *, plainly: bool = False) -> str | None:
    """Every element is the right one times one and the same constant, `plainly` one in eighths."""
    if _different(evidence.exact) < _TWO or np.count_nonzero(evidence.wrong) < _LEAST:
        return None
    factor = _factor(evidence)
    if factor is None or (plainly and (8 * factor) % 1):
        return None
    if not evidence.fits(evidence.exact * factor, evidence.slack * abs(factor)):
        return None
    return f"the result is multiplied by {factor:g}"


def _factor(evidence: Evidence) -> float | None:
    """Return the real constant that the largest right elements suggest, rounded; None if none."""
    right, got = evidence.exact.ravel(), evidence.got.ravel()
    usable = np.isfinite(got) & np.isfinite(right) & (right != 0)
    right, got = right[usable], got[usable]
    largest = np.argsort(larger_part(right), kind="stable")[-_LEAST:]
    if not len(largest):
        return None
    found = float(np.median((got[largest] / right[largest]).real))
    rounded = float(f"{found:.{_DIGITS}g}")
    return None if rounded == 0 or abs(rounded - 1) < _NEAR_ONE else rounded


def _different(values: Array) -> int:
    """Count the magnitudes that differ and are not zero."""
    size = np.unique(larger_part(values))
    return int(np.count_nonzero(size))
