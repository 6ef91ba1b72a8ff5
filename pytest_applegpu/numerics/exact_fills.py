"""Which operands have a product that is known to the last bit?

Each fill here is exact under any order of summation, any tiling and any split over K, in an
accumulator of the format's own class (float32, or float64 for float64), with operands cut to the
bits that are promised. Whoever gets other bits has a fault.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Final

import numpy as np

from pytest_applegpu.numerics.draws import (
    Order,
    Pair,
    nonzero,
    odd,
    powers,
    signs,
    sizes,
    spread_out,
    with_ends,
)
from pytest_applegpu.numerics.rounding import Array

_LEAST_PRODUCT: Final = 8
"""Thinning keeps so few terms that each may reach this: smaller integers hardly differ."""

_ROUND_LIMIT: Final = 65504
"""Largest sum of the fill `round`: float16's largest number."""

_ROUND_TERMS: Final = 16
"""Terms of a sum in `round`: few, so that it needs more bits than float16 has."""

_SWING: Final = 40000
"""How far partial sums of `cancel` go: far beyond float16's 2**11, short of its overflow."""

_DOUBLE_SWING: Final = 2**30
"""The same for float64, beyond float32's 2**24."""


def integer(order: Order) -> Pair:
    """Draw thinned integers: every element of C is odd, and held exactly."""

    def one_part(budget: int, *, odd_end: bool) -> Pair:
        size = sizes(order, budget, budget // _LEAST_PRODUCT)
        body = 2 * nonzero(order.rng, (*order.shape_a[:-1], size.terms), size.even)
        body = spread_out(body, order.k - 1, order.rng)
        B = order.rng.integers(-size.other, size.other + 1, order.shape_b, dtype=np.int32)
        return with_ends(order, body, B, size.odd, odd_end=odd_end)

    return order.store(*_parts(order, one_part))


def powers_of_two(order: Order) -> Pair:
    """Draw thinned signed powers of two, rows of A and columns of B scaled by further ones."""

    def one_part(budget: int, *, odd_end: bool) -> Pair:
        size = sizes(order, budget, budget // _LEAST_PRODUCT)
        high_a, high_b = _high(2 * size.even), _high(size.other)
        body = powers(order.rng, (*order.shape_a[:-1], size.terms), 1, high_a)
        body = spread_out(body, order.k - 1, order.rng)
        B = powers(order.rng, order.shape_b, 0, high_b)
        return with_ends(order, body, B, 1, odd_end=odd_end)

    A, B = _parts(order, one_part)
    rows = powers(order.rng, (*A.shape[:-1], 1), -4, 2)
    cols = powers(order.rng, (*B.shape[:-2], 1, B.shape[-1]), -4, 2)
    return order.store(A * rows, B * cols)


def _high(top: int) -> int:
    """Return the exponent of the largest power of two up to `top`, at most 6."""
    return min(top.bit_length() - 1, 6)


def _parts(order: Order, one_part: Callable[..., Pair]) -> Pair:
    """Draw the whole of a real pair, or both parts of a complex one.

    Each of the four real products in a complex one gets a quarter of the budget, which keeps
    (|Re A| + |Im A|)(|Re B| + |Im B|), and so any kernel of three products, exact as well.
    """
    if not order.dtype.is_complex:
        return one_part(order.budget, odd_end=True)
    quarter = order.budget // 4
    real, imaginary = one_part(quarter, odd_end=True), one_part(quarter, odd_end=False)
    return real[0] + 1j * imaginary[0], real[1] + 1j * imaginary[1]


def round_once(order: Order) -> Pair:
    """Draw integers whose sums need more bits than float16 or bfloat16 has.

    A result is right only if it was rounded to nearest, once. Formats that hold the sums of an
    accumulator as they are have nothing to round, and get `integer`.
    """
    if order.dtype.significand > 11:
        return integer(order)
    size = sizes(order, _ROUND_LIMIT, _ROUND_TERMS)
    body = nonzero(order.rng, (*order.shape_a[:-1], size.terms), size.even * 2)
    B = nonzero(order.rng, order.shape_b, size.other)
    A, B = with_ends(order, spread_out(body, order.k - 1, order.rng), B, size.odd, odd_end=True)
    # Ends of at least half the size: losing them moves the result by more than a spacing.
    for ends in (A[..., -1], B[..., -1, :]):
        small = np.abs(ends) < size.odd // 2
        ends[small] = size.odd * np.sign(ends[small])
    return order.store(A, B)


def ones(order: Order) -> Pair:
    """Draw ones, so that C is K everywhere, times a factor for its row and one for its column.

    The factors (1, -1, 2, -2; for complex numbers i as well) change from line to line, so that
    swapped lines show. Where K is more than the output can count to, A is thinned to what it can.
    """
    count = min(order.k, order.dtype.exact_integer)
    body = np.ones((*order.shape_a[:-1], count - 1))
    row = spread_out(body, order.k - 1, order.rng)
    A = np.concatenate([row, np.ones((*row.shape[:-1], 1))], -1)
    rows = _factors(order, order.shape_a[:-1])[..., None]
    cols = _factors(order, (*order.shape_b[:-2], order.shape_b[-1]))[..., None, :]
    return order.store(A * rows, np.broadcast_to(cols, order.shape_b))


def _factors(order: Order, shape: tuple[int, ...]) -> Array:
    values = [1, -1, 2, -2, *([1j, -1j, 2j, -2j] if order.dtype.is_complex else [])]
    steps = order.rng.integers(1, len(values), shape)
    return np.array(values)[np.cumsum(steps, -1) % len(values)]


def onehot(order: Order) -> Pair:
    """Draw odd integers of full width for one operand, single powers of two for the other.

    One entry to each column of B (or row of A) makes C a scaled copy of columns of A (rows of
    B): every bit that is promised must come through, from the right place.
    """
    if order.rng.integers(2):
        return order.store(_full_width(order, order.shape_a), _hot(order, order.shape_b))
    *batch, m, k = order.shape_a
    hot = _hot(order, (*batch, k, m))
    return order.store(np.swapaxes(hot, -1, -2), _full_width(order, order.shape_b))


def _full_width(order: Order, shape: tuple[int, ...]) -> Array:
    """Draw signed odd integers of exactly the promised number of bits (complex: both parts).

    Sums of two such are even, so a kernel that adds the parts first is exact with one bit more.
    """
    low = 1 << max(order.bits - 2, 0)

    def one_part() -> Array:
        magnitude = 2 * order.rng.integers(low, 2 * low, shape, dtype=np.int64) + 1
        return magnitude * signs(order.rng, shape)

    return one_part() + 1j * one_part() if order.dtype.is_complex else one_part()


def _hot(order: Order, shape: tuple[int, ...]) -> Array:
    """Put one power of two in each column; the rows are used in turn, the last one surely."""
    *batch, k, n = shape
    rng = order.rng
    rows = np.argsort(rng.random((*batch, k)), -1)[..., np.arange(n) % k]
    rows[..., rng.integers(n)] = k - 1
    values = powers(rng, (*batch, n), -4, 2)
    if order.dtype.is_complex:
        values = values * np.where(rng.integers(2, size=values.shape), 1j, 1)
    hot = np.zeros(shape, values.dtype)
    np.put_along_axis(hot, rows[..., None, :], values[..., None, :], -2)
    return hot


def cancel(order: Order) -> Pair:
    """Draw integers whose partial sums leave a half-precision accumulator, then cancel.

    A = [X, X] and B = [Y; D - Y] with odd X, Y: C = X D is small and odd, while the sum over the
    first half of K nears 40000 (float64: 2**30), always in steps that a narrow accumulator
    loses. In between, an odd K leaves a column that counts twice.
    """
    half, k = order.k // 2, order.k
    if half == 0:
        return integer(order)
    X, Y = _swinging(order, half, *_means(order, half))
    D = np.zeros(Y.shape, Y.dtype)
    places = order.rng.integers(0, half, (*Y.shape[:-2], 1, Y.shape[-1]))
    np.put_along_axis(D, places, odd(order.rng, places.shape, 3).astype(Y.dtype), -2)
    middle_a = odd(order.rng, (*X.shape[:-1], k % 2), 51).astype(X.dtype)
    middle_b = 2 * signs(order.rng, (*Y.shape[:-2], k % 2, Y.shape[-1])).astype(Y.dtype)
    A = np.concatenate([X, middle_a, X], -1)
    return order.store(A, np.concatenate([Y, middle_b, D - Y], -2))


def _means(order: Order, half: int) -> tuple[int, int]:
    """Return the means of |X| and |Y|: together they make the swing, X leaves |C| <= 255."""
    double = order.dtype.name == "float64"
    each = max((_DOUBLE_SWING if double else _SWING) // half, 1)
    mean_x = min(isqrt(each), 2**15 if double else 26)
    return mean_x, min(each // mean_x, (order.top + 1) // 2 - 1)


def _swinging(order: Order, half: int, mean_x: int, mean_y: int) -> Pair:
    """Draw X and Y, odd and of one sign along K; imaginary parts are 1 or -1."""
    rng = order.rng

    def one_sided(shape: tuple[int, ...], mean: int, axis: int) -> Array:
        lone = (*shape[:axis], 1, *shape[axis + 1 :])
        sign = signs(rng, lone).astype(np.int64)
        values = (2 * rng.integers(0, mean, shape) + 1) * sign
        return values + 1j * signs(rng, lone) if order.dtype.is_complex else values

    *batch_a, m, _ = order.shape_a
    *batch_b, _, n = order.shape_b
    X = one_sided((*batch_a, m, half), mean_x, len(batch_a) + 1)
    return X, one_sided((*batch_b, half, n), mean_y, len(batch_b))
