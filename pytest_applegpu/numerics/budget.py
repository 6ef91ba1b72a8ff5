"""What is the bound of one element made of, and what is the route taken to do, in words?"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.bounds import DOUBLE_UNIT, Arithmetic, hard, underflow


@dataclass(frozen=True, slots=True)
class Budget:
    """Shares of the bound of one element, which add up to 1, and the model behind them.

    Attributes:
        operand: what cutting the operands may cost.
        accumulate: what rounding products and sums may.
        output: what rounding the result to its format may.
        rest: underflow, the reference's own error, and what is done to the product afterwards.
        model: what the route is taken to do, in words.
    """

    operand: float
    accumulate: float
    output: float
    rest: float
    model: str


def split(  # noqa: PLR0917 - one element of a product, and what is promised of it
    arithmetic: Arithmetic, dtype: DType, size: float, magnitude: float, k: int, allowed: float
) -> Budget | None:
    """Share out the bound of one element; None where it has none, or is not finite.

    Args:
        arithmetic: what the route promises.
        dtype: format of operands and result.
        size: magnitude of the exact element, of its larger part where it is complex.
        magnitude: its |A||B|.
        k: length of the sum.
        allowed: its bound.
    """
    factors = hard(arithmetic, dtype, k)
    inner = factors.total * magnitude
    if not (isfinite(allowed) and isfinite(inner) and allowed > 0):
        return None
    operand, accumulate = factors.operand * magnitude, factors.accumulate * magnitude
    output = dtype.unit * (size + inner)
    known = operand + accumulate + output
    rest = max(allowed - known, underflow(dtype, k))
    operand, accumulate, output, rest = (
        part / (known + rest) for part in (operand, accumulate, output, rest)
    )
    return Budget(operand, accumulate, output, rest, describe(arithmetic, dtype, k))


def describe(arithmetic: Arithmetic, dtype: DType, k: int) -> str:
    """Say what the route is taken to do with operands, sums and result."""
    said = (_operands(arithmetic, dtype), _summed(arithmetic, dtype, k), _result(dtype))
    return "; ".join(filter(None, (*said, arithmetic.note)))


def _operands(arithmetic: Arithmetic, dtype: DType) -> str:
    if arithmetic.operand_bits >= dtype.significand:
        return "operands whole"
    how = "truncated" if arithmetic.operand_truncates else "rounded to nearest"
    return f"operands {arithmetic.operand_bits} bits {how}"


def _summed(arithmetic: Arithmetic, dtype: DType, k: int) -> str:
    if k == 0:
        return ""
    wide = "float64" if arithmetic.accumulator_unit <= 2 * DOUBLE_UNIT else "float32"
    how = "rounded to nearest" if arithmetic.to_nearest else "truncated at worst"
    real = " for each part" if dtype.is_complex else ""
    return f"{wide} sums of {_order(arithmetic, k)}{real}, {how}"


def _order(arithmetic: Arithmetic, k: int) -> str:
    sums = arithmetic.sums
    if sums is None:
        return f"{k} in any order"
    if sums.parts == 1:
        return f"{min(k, sums.longest)} in turn"
    kept = f" stored in {sums.kept}" if sums.kept else ""
    return f"{min(k, sums.longest)} in {sums.parts} {sums.what}{kept}"


def _result(dtype: DType) -> str:
    return f"result rounded to {dtype.name}"
