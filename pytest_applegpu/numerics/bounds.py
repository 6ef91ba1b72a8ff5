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
operands cut before exact products. N. J. Higham, T. Mary, A new approach to probabilistic
rounding error analysis (SIAM J. Sci. Comput., 2019): growth with sqrt(n) for the typical case.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.rounding import Array, larger_part

SINGLE_UNIT: Final = 2.0**-24
DOUBLE_UNIT: Final = 2.0**-53

_CONFIDENCE: Final = 5.0
"""lambda of Higham & Mary: fails with probability 2 exp(-lambda**2 / 2) = 7e-6 an element."""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """What a route promises to do with the operands and the sum.

    Attributes:
        operand_bits: significant bits it keeps of each operand (24, TF32-class 11, ...).
        operand_truncates: whether what it cuts off is truncated, or rounded to nearest.
        accumulator_unit: unit roundoff of products and sums: 2**-24 for float32 rounded to
            nearest, 2**-23 where hardware truncates, 2**-53 for float64.
        partitions: into how many parts K is split, each summed apart; 1 when not known, which
            allows the most.
    """

    operand_bits: int
    operand_truncates: bool = False
    accumulator_unit: float = SINGLE_UNIT
    partitions: int = 1

    def operand_error(self, dtype: DType) -> float:
        """Return the largest relative error of a product of two cut operands: 2u + u**2."""
        if self.operand_bits >= dtype.significand:
            return 0.0
        unit = 2.0 ** -(self.operand_bits - (1 if self.operand_truncates else 0))
        return 2 * unit + unit * unit

    def terms(self, dtype: DType, k: int) -> int:
        """Return n such that gamma_n bounds a sum of K products.

        A complex part is a sum of 2 K products, or by three real products (Higham 2002, sec.
        23.2.4) the difference of three sums, which together stay below gamma_(2K+8).
        """
        longest = k if self.partitions <= 1 else -(-k // self.partitions) + self.partitions
        return 2 * longest + 8 if dtype.is_complex else longest


def promise(dtype: DType) -> Arithmetic:
    """Return the arithmetic that keeps operands whole and sums in float32 (float64's own)."""
    unit = DOUBLE_UNIT if dtype.significand > DTYPES["float32"].significand else SINGLE_UNIT
    return Arithmetic(dtype.significand, accumulator_unit=unit)


def gamma(n: int, unit: float) -> float:
    """Return n u / (1 - n u), infinite from n u = 1 on (Higham 2002, sec. 3.1)."""
    return n * unit / (1 - n * unit) if n * unit < 1 else inf


def limit(arithmetic: Arithmetic, dtype: DType, exact: Array, magnitude: Array, k: int) -> Array:
    """Return the largest error that each element may have, in each part of a complex one.

    Args:
        arithmetic: what the route promises.
        dtype: format of operands and result.
        exact: the product, float64 or complex128, shape (*batch, M, N).
        magnitude: |A||B|, float64, of the same shape.
        k: length of the sums.
    """
    hard = gamma(arithmetic.terms(dtype, k), arithmetic.accumulator_unit)
    return _allow(dtype, _relative(arithmetic, dtype, hard, k), exact, magnitude, k)


def typical(arithmetic: Arithmetic, dtype: DType, exact: Array, magnitude: Array, k: int) -> Array:
    """Return what errors stay below when roundings are independent: sqrt(K) instead of K.

    `limit` decides; this is for the band in which a result is still right but worth watching.
    """
    terms, unit = arithmetic.terms(dtype, k), arithmetic.accumulator_unit
    accumulate = min(gamma(terms, unit), _CONFIDENCE * sqrt(terms) * unit)
    return _allow(dtype, _relative(arithmetic, dtype, accumulate, k), exact, magnitude, k)


def _relative(arithmetic: Arithmetic, dtype: DType, accumulate: float, k: int) -> float:
    """Return what multiplies |A||B|: operands, the sum of what they became, the reference."""
    operand = arithmetic.operand_error(dtype)
    reference = gamma(arithmetic.terms(dtype, k), DOUBLE_UNIT)
    return operand + (1 + operand) * accumulate + reference


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
