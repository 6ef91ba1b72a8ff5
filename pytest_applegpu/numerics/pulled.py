"""How far may a gradient be from the exact one?

A gradient of a product is a product itself: of the cotangent with the other operand, which MLX
rounds to the format of the operand for each matrix of the batch, and adds up in that format over
all that share the operand. To the bound of a product of N terms come the roundings of such sums
and of what an epilogue multiplies with (Higham 2002, sec. 3.1: one unit roundoff each of all that
is added up; the factor 1.01 covers the rest).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.bounds import Arithmetic, limit
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.held import expect, judge_against
from pytest_applegpu.numerics.rounding import Array, larger_part

_STEPS: Final = 4
"""Roundings of factors: of the cotangent, of weights, of a mask on either side."""

_ENOUGH: Final = 0.1
"""Share of the elements that anything is added up for, which have to differ from zero."""

_FINEST: Final = 12
"""The power of two below which no operand of an exact case has bits."""


@dataclass(frozen=True, slots=True)
class Pulled:
    """A gradient, float64 or complex128.

    Attributes:
        exact: its numbers, in the operand's own shape.
        size: the sum of the magnitudes of all that is added up for each, float64.
        terms: how many products a sum of one matrix has.
        folds: the most such sums that are added up for an element.
        relative: relative error of the other operand where it is unpacked.
    """

    exact: Array
    size: Array
    terms: int
    folds: int = 1
    relative: float = 0.0


def grain(x: Array) -> float:
    """Return the largest power of two, up to 1, that every element is a multiple of; 0 for none."""
    for power in range(_FINEST + 1):
        grown = np.ldexp(x.real, power), np.ldexp(x.imag, power)
        if all(bool((np.rint(one) == one).all()) for one in grown):
            return float(2.0**-power)
    return 0.0


def allowance(pulled: Pulled, dtype: DType, arithmetic: Arithmetic, step: float) -> Array:
    """Return how far off each element may be: not at all where every sum is held exactly.

    `step`: all that is added up is a multiple of it; 0 where no sum is known to be exact.
    """
    plain = replace(arithmetic, sums=None)
    terms = pulled.terms * pulled.folds
    bound = limit(plain, dtype, pulled.exact, pulled.size, terms)
    rounded = 1.01 * (_STEPS + pulled.folds) * dtype.unit + pulled.relative
    bound = bound + rounded * pulled.size
    held = (pulled.size <= dtype.exact_integer * step) if step else np.zeros(bound.shape, bool)
    return np.where(held, 0.0, bound)


def judge_pulled(
    got: Array, pulled: Pulled, allowed: Array, shape: tuple[int, ...], dtype: DType
) -> Finding:
    """Hold a gradient to the exact one; it has the shape and the format of its operand."""
    finding = judge_against(expect(pulled.exact, allowed, dtype), shape, (got,))
    if not finding.passed:
        return finding
    due = pulled.size > 0
    seen = larger_part(pulled.exact) > allowed
    if due.any() and (seen & due).sum() < _ENOUGH * due.sum():
        said = "a gradient of zeros would not be seen"
        return replace(finding, verdict="no proof", detail=said)
    return finding
