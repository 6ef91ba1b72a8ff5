"""Where do the errors of sound arithmetic stay, below the limit that they cannot pass?

Roundings to nearest are near enough to independent, and of either sign, for their sum to grow with
sqrt(n); truncations all have one sign, and half their largest size on average. A result between
this band and `bounds.limit` may stand and is worth watching.

Sources: N. J. Higham, T. Mary, A new approach to probabilistic rounding error analysis (SIAM J.
Sci. Comput., 2019): lambda sqrt(n) u in place of gamma_n, by Hoeffding's inequality, which also
gives the bound for operands. M. Fasi, N. J. Higham, M. Mikaitis, S. Pranesh, Numerical behavior of
NVIDIA tensor cores (PeerJ Comput. Sci., 2021): accumulators that truncate.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.bounds import (
    DOUBLE_UNIT,
    Arithmetic,
    Factors,
    factors,
    gamma,
    hard,
)
from pytest_applegpu.numerics.reference import product
from pytest_applegpu.numerics.rounding import Array, larger_part, widen

Pair = tuple[Array, Array]

SUMS: Final = 2.0
"""lambda of sums: half as much again as the 1.33 that clean errors needed at the most.

Calibrated by `benchmarks/false_alarms.py`, as docs/error-model.md says. The theorem takes every
rounding at its worst, and would ask for 5: it then fails for 7e-6 of all elements.
"""

OPERANDS: Final = 2.5
"""lambda of operands that are cut: six standard deviations of errors that are evenly spread."""

DRIFT: Final = 0.5
"""Mean error of a truncation in units of its largest."""


def typical(
    arithmetic: Arithmetic, dtype: DType, allowed: Array, magnitude: Array, k: int
) -> Array:
    """Return what errors stay below when the roundings of sums are independent.

    Args:
        arithmetic: what the route promises.
        dtype: format of operands and result.
        allowed: the hard limit of each element, which is never exceeded, shape (*batch, M, N).
        magnitude: |A||B|, float64, of the same shape.
        k: length of the sums.
    """
    most, soft = hard(arithmetic, dtype, k), calm(arithmetic, dtype, k)
    return _below(allowed, (1 + dtype.unit) * (most.total - soft.total) * magnitude)


def typical_of_cut(  # noqa: PLR0917 - a product, its format, promise and band
    arithmetic: Arithmetic, dtype: DType, band: Array, magnitude: Array, exact: Array, AB: Pair
) -> Array:
    """Return what is left of `band` when the cuts of operands are independent too.

    With d the relative error of a product of two cut operands, errors of sum(a b d) stay below
    lambda max|d| sqrt(sum((a b)**2)), and truncation adds its mean for all of `exact`.

    Args:
        arithmetic: what the route promises.
        dtype: format of operands and result.
        band: what `typical` gave.
        magnitude: |A||B|, float64, shape (*batch, M, N).
        exact: the product, float64 or complex128, of the same shape.
        AB: the operands as stored.
    """
    error = arithmetic.operand_error(dtype)
    if not error:
        return band
    drift = DRIFT if arithmetic.operand_truncates else 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        energy = np.sqrt(product(*(_squares(X) for X in AB)))
        soft = error * (drift * larger_part(exact) + (1 - drift) * OPERANDS * energy)
        saved = np.maximum(error * magnitude - soft, 0.0)
    return _below(band, (1 + dtype.unit) * saved)


def _squares(X: Array) -> Array:
    wide = widen(X)
    size: Array = np.abs(wide.real) + np.abs(wide.imag) if wide.dtype.kind == "c" else wide
    return size * size


def _below(allowed: Array, slack: Array) -> Array:
    """Return `allowed` less `slack`, where both are numbers."""
    with np.errstate(over="ignore", invalid="ignore"):
        less = allowed - slack
    below: Array = np.where(np.isfinite(less), less, allowed)
    return below


def calm(arithmetic: Arithmetic, dtype: DType, k: int) -> Factors:
    """Return the factors of `bounds.hard` with sums whose roundings are independent."""
    terms, unit = arithmetic.terms(dtype, k), arithmetic.accumulator_unit
    drift = 0.0 if arithmetic.to_nearest else DRIFT
    reference = _calm_sum(terms, DOUBLE_UNIT)
    return factors(arithmetic, dtype, _calm_sum(terms, unit, drift), reference)


def _calm_sum(terms: int, unit: float, drift: float = 0.0) -> float:
    """Return lambda sqrt(n) u, and what truncation adds on average; never more than gamma_n."""
    return min(gamma(terms, unit), (drift * terms + SUMS * sqrt(terms)) * unit)
