"""How is the sum rounded to the format of the result?

A sum that the accumulator holds exactly, and the result's format does not, is rounded once: sums
of 1.5 and a part of the last place show the mode (test C of Fasi et al. 2021).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Final

import numpy as np

from pytest_applegpu.numerics.card.answer import Feature, unknown
from pytest_applegpu.numerics.card.ask import Ask
from pytest_applegpu.numerics.card.modes import MODES, round_on

NAME: Final = "rounding of results"

_SPARE: Final = 2
"""Bits that the accumulator must have beyond the result's for its rounding to be seen."""

_SHARES: Final = tuple(Fraction(n, 4) for n in (-3, -2, -1, 1, 2, 3))


def results(ask: Ask, bits: int) -> Feature:
    """Ask how sums of `bits` bits (0: more than were tried) become results."""
    if 0 < bits < ask.dtype.significand + _SPARE:
        return Feature(NAME, "none", f"the sum has {bits} bits, the result {ask.dtype.significand}")
    unit = Fraction(2) ** (1 - ask.dtype.significand)
    bases = [sign * (Fraction(3, 2) + odd * unit) for sign in (1, -1) for odd in (0, 1)]
    terms = list(product(bases, (share * unit for share in _SHARES)))
    lines = np.zeros((len(terms), ask.k))
    lines[:, :2] = np.array([[float(base), float(term)] for base, term in terms])
    got = ask.dots(np.ones(ask.k), lines)
    fits = [
        mode
        for mode in MODES
        if all(
            float(round_on(base + term, unit, mode)) == one
            for (base, term), one in zip(terms, got, strict=True)
        )
    ]
    said = f"{len(terms)} sums that lie between two results"
    if len(fits) != 1:
        return unknown(NAME, f"no rounding explains {said}")
    return Feature(NAME, fits[0], said)
