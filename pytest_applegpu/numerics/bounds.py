"""How far may a computed product be from the exact one?

    |computed - exact| <= (e_operand + e_accumulate) |A||B| + u_out (|exact| + that) + underflow

componentwise, with |A||B| the product of absolute values. The hard limit is a theorem, not a
fit: a route that keeps its promise (`Arithmetic`) cannot break it, whatever the data and the
order of summation, so its false-alarm rate is zero by proof and not by calibration. What it may
miss is another question, which `proof` answers for each case's own data.

Sources: N. J. Higham, Accuracy and Stability of Numerical Algorithms (2nd ed., 2002), sec. 3.1
and 3.5: gamma_n = n u / (1 - n u) for sums of n products in any order, sec. 3.6 for complex
numbers. P. Blanchard, N. J. Higham, F. Lopez, T. Mary, S. Pranesh, Mixed precision block fused
multiply-add: error analysis and application to GPU tensor cores (SIAM J. Sci. Comput., 2020):
operands cut before exact products, and a sum's constant being the longest way through its tree of
additions. M. Fasi, N. J. Higham, M. Mikaitis, S. Pranesh, Numerical behavior of NVIDIA tensor
cores (PeerJ Comput. Sci., 2021): accumulators that truncate.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.rounding import Array, larger_part

SINGLE_UNIT: Final = 2.0**-24
DOUBLE_UNIT: Final = 2.0**-53


@dataclass(frozen=True, slots=True)
class Sums:
    """How a route adds up K products.

    Attributes:
        longest: most products that are added up one after another.
        parts: how many such sums there are for one element of the result.
        joins: most additions between one of them and the result.
        what: word for the parts.
        kept: format in which the parts' sums are stored before they are added up; None where they
            stay in registers.
    """

    longest: int
    parts: int = 1
    joins: int = 0
    what: str = "partitions"
    kept: str | None = None

    @property
    def kept_unit(self) -> float:
        """Unit roundoff of storing a part's sum; 0 where the format holds the accumulator."""
        kept = DTYPES[self.kept or "float32"]
        return kept.unit if kept.significand < DTYPES["float32"].significand else 0.0


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """What a route promises to do with the operands and the sum.

    Attributes:
        operand_bits: significant bits it keeps of each operand (24, TF32-class 11, ...).
        operand_truncates: whether what it cuts off is truncated, or rounded to nearest.
        accumulator_unit: unit roundoff of products and sums: 2**-24 for float32 rounded to
            nearest, 2**-23 where hardware truncates, 2**-53 for float64.
        sums: how it adds up; None where that is not known, which allows any order.
        note: what else is to be said of it.
    """

    operand_bits: int
    operand_truncates: bool = False
    accumulator_unit: float = SINGLE_UNIT
    sums: Sums | None = None
    note: str = ""

    @property
    def to_nearest(self) -> bool:
        """Whether products and sums are known to be rounded to nearest."""
        return self.accumulator_unit in {SINGLE_UNIT, DOUBLE_UNIT}

    def operand_error(self, dtype: DType) -> float:
        """Return the largest relative error of a product of two cut operands: 2u + u**2."""
        if self.operand_bits >= dtype.significand:
            return 0.0
        unit = 2.0 ** -(self.operand_bits - (1 if self.operand_truncates else 0))
        return 2 * unit + unit * unit

    def terms(self, dtype: DType, k: int) -> int:
        """Return n such that gamma_n bounds a sum of K products.

        It is the most roundings that a product goes through on its way into the result (Blanchard
        et al. 2020, sec. 3), and in no order more than K. A complex part is a sum of 2 K products,
        or by three real products (Higham 2002, sec. 23.2.4) the difference of three sums, which
        together stay below gamma_(2K+8).
        """
        depth = k if self.sums is None else min(k, self.sums.longest + self.sums.joins)
        return 2 * depth + 8 if dtype.is_complex else depth


def promise(dtype: DType) -> Arithmetic:
    """Return the arithmetic that keeps operands whole and sums in float32 (float64's own)."""
    unit = DOUBLE_UNIT if dtype.significand > DTYPES["float32"].significand else SINGLE_UNIT
    return Arithmetic(dtype.significand, accumulator_unit=unit)


def gamma(n: int, unit: float) -> float:
    """Return n u / (1 - n u), infinite from n u = 1 on (Higham 2002, sec. 3.1)."""
    return n * unit / (1 - n * unit) if n * unit < 1 else inf


@dataclass(frozen=True, slots=True)
class Factors:
    """What multiplies |A||B| in a bound: operands, sums, and the reference's own error."""

    operand: float
    accumulate: float
    reference: float

    @property
    def total(self) -> float:
        """All three together."""
        return self.operand + self.accumulate + self.reference


def hard(arithmetic: Arithmetic, dtype: DType, k: int) -> Factors:
    """Return the factors that no honest sum of K products can exceed."""
    terms = arithmetic.terms(dtype, k)
    accumulate = gamma(terms, arithmetic.accumulator_unit)
    return factors(arithmetic, dtype, accumulate, gamma(terms, DOUBLE_UNIT))


def factors(arithmetic: Arithmetic, dtype: DType, accumulate: float, reference: float) -> Factors:
    """Let the sum be one of what cut operands became, and be rounded where its parts are stored."""
    operand = arithmetic.operand_error(dtype)
    kept = arithmetic.sums.kept_unit if arithmetic.sums else 0.0
    return Factors(operand, (1 + operand) * (accumulate + kept * (1 + accumulate)), reference)


def limit(arithmetic: Arithmetic, dtype: DType, exact: Array, magnitude: Array, k: int) -> Array:
    """Return the largest error that each element may have, in each part of a complex one.

    Args:
        arithmetic: what the route promises.
        dtype: format of operands and result.
        exact: the product, float64 or complex128, shape (*batch, M, N).
        magnitude: |A||B|, float64, of the same shape.
        k: length of the sums.
    """
    return _allow(dtype, hard(arithmetic, dtype, k).total, exact, magnitude, k)


def _allow(dtype: DType, relative: float, exact: Array, magnitude: Array, k: int) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        inner = relative * magnitude
        return inner + dtype.unit * (larger_part(exact) + inner) + underflow(dtype, k)


def underflow(dtype: DType, k: int) -> float:
    """Return what products and sums may lose to underflow of the accumulator and the output.

    Each of K products and K sums may be flushed to zero below the accumulator's smallest normal
    number; a subnormal result is rounded to within half its spacing. A result that is itself
    flushed is the business of `excused`.
    """
    accumulator = DTYPES["float64" if dtype.name == "float64" else "float32"]
    flushed = 2 * k * accumulator.smallest_normal * (2 if dtype.is_complex else 1)
    return flushed + dtype.smallest_normal * dtype.unit


def excused(dtype: DType, got: Array, exact: Array, allowed: Array, magnitude: Array) -> Array:
    """Return where a real result may stand though it is further off than `allowed`.

    Zero for what is subnormal; Inf of the right sign where the interval round `exact` reaches
    the largest finite number; anything not finite where partial sums may overflow.
    """
    size = np.abs(exact)
    accumulator = DTYPES["float64" if dtype.name == "float64" else "float32"]
    with np.errstate(over="ignore", invalid="ignore"):
        flushed = (got == 0) & (size < dtype.smallest_normal + allowed)
        overflowed = np.isinf(got) & (np.sign(got) == np.sign(exact))
        overflowed &= size + allowed >= dtype.largest
        partial = ~np.isfinite(got) & (magnitude + allowed >= accumulator.largest)
    result: Array = flushed | overflowed | partial
    return result
