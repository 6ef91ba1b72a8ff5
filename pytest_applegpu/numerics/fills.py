"""Which fills are there, and what is each good for?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics import exact_fills, real_fills, special
from pytest_applegpu.numerics.bounds import Arithmetic
from pytest_applegpu.numerics.draws import Order, Pair
from pytest_applegpu.numerics.proof import prove

_TRIES: Final = 40
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


def make(  # noqa: PLR0917 - two shapes, and what fills them
    fill: str,
    dtype: DType,
    shape_a: tuple[int, ...],
    shape_b: tuple[int, ...],
    operand_bits: int,
    rng: np.random.Generator,
    *,
    proven: bool = True,
) -> Pair:
    """Draw A of shape (*batch_a, M, K) and B of (*batch_b, K, N) in the storage format.

    `operand_bits` is how many significant bits of each operand the route promises to keep: exact
    fills use no more. Small cases are drawn again until `proof.prove` holds on them, unless
    nothing is to be proven.

    Raises:
        ValueError: no such fill.
    """
    if fill not in FILLS:
        raise ValueError(f"fill {fill!r} is not one of {', '.join(FILLS)}")
    order = Order(dtype, shape_a, shape_b, operand_bits, rng)
    if 0 in shape_a or 0 in shape_b:
        A, B = (rng.integers(1, 4, shape) for shape in (shape_a, shape_b))
        return order.store(A, B)
    for _ in range(_TRIES if proven else 1):
        pair = FILLS[fill].draw(order)
        if not proven or _proves(FILLS[fill].check, order, pair):
            break
    return pair


def _proves(check: str, order: Order, pair: Pair) -> bool:
    batch = np.broadcast_shapes(order.shape_a[:-2], order.shape_b[:-2])
    outputs = prod(batch) * order.shape_a[-2] * order.shape_b[-1]
    narrow = min(order.shape_a[-2], order.shape_b[-1], order.k) <= _NARROW
    if check == "isolation" or outputs > (_MANY if narrow else _SMALL):
        return True
    worst = Arithmetic(
        order.operand_bits,
        operand_truncates=True,
        accumulator_unit=2.0 ** (-52 if order.dtype.name == "float64" else -23),
    )
    return prove(check, *pair, order.dtype, worst) is None
