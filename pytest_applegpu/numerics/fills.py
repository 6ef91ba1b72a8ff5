"""Which fills are there, and what is each good for?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics import exact_fills, real_fills, special
from pytest_applegpu.numerics.bounds import Arithmetic
from pytest_applegpu.numerics.draws import Order, Pair
from pytest_applegpu.numerics.epilogue import PLAIN, Epilogue, Weights
from pytest_applegpu.numerics.proof import prove

TRIES: Final = 40
"""Draws after which data are taken as they are."""

_SMALL: Final = 1024
_NARROW: Final = 8
_MANY: Final = 1 << 16
"""Results of up to `_SMALL` elements, or `_MANY` where they have but a few rows, columns or terms,
are drawn again until they prove something; in others enough elements always differ."""


@dataclass(frozen=True, slots=True)
class Fill:
    """A way to draw operands, and the check that its results are put to."""

    name: str
    meaning: str
    check: str
    draw: Callable[[Order], Pair]


def _table() -> dict[str, Fill]:
    exact, real = exact_fills, real_fills
    rows = (
        ("integer", "thinned integers, every result odd and exact", "exact", exact.integer),
        ("cancel", "sums that leave a half accumulator, then cancel", "exact", exact.cancel),
        ("onehot", "full-width integers copied by powers of two", "exact", exact.onehot),
        ("ones", "every result K, times factors of its row and column", "exact", exact.ones),
        ("powers", "sums of signed powers of two", "exact", exact.powers_of_two),
        ("round", "sums that the output must round once", "exact", exact.round_once),
        ("normal", "standard normal numbers", "bounded", real.normal),
        ("uniform", "positive numbers, whose errors add up", "bounded", real.uniform),
        ("spread", "exponents over a wide range", "bounded", real.spread),
        ("large", "partial sums beyond float16, finite results", "bounded", real.large),
        ("tiny", "results down to subnormal numbers", "bounded", real.tiny),
        ("special", "NaN and Inf in single rows and columns", "isolation", special.draw),
    )
    return {row[0]: Fill(*row) for row in rows}


FILLS: Final[dict[str, Fill]] = _table()
"""Every fill by its name."""


def sketch(fill: str, order: Order) -> Pair:
    """Draw a pair once, whether or not it proves anything.

    Raises:
        KeyError: no such fill.
    """
    if 0 in order.shape_a or 0 in order.shape_b:
        return order.store(*(order.rng.integers(1, 4, x) for x in (order.shape_a, order.shape_b)))
    return FILLS[fill].draw(order)


def worth_proving(fill: str, outputs: int, narrowest: int) -> bool:
    """Tell whether a result is so small that its data may prove nothing by chance."""
    if FILLS[fill].check == "isolation":
        return False
    return outputs <= (_MANY if narrowest <= _NARROW else _SMALL)


def is_proven(
    check: str,
    pair: Pair,
    dtype: DType,
    operand_bits: int,
    *,
    epilogue: Epilogue = PLAIN,
    weights: Weights | None = None,
) -> bool:
    """Tell whether data prove something under the weakest arithmetic that a route may have."""
    worst = Arithmetic(
        operand_bits,
        operand_truncates=True,
        accumulator_unit=2.0 ** (-52 if dtype.name == "float64" else -23),
    )
    return prove(check, *pair, dtype, worst, epilogue=epilogue, weights=weights) is None
