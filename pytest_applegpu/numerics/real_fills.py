"""Which real-valued operands tell most about rounding, range and order?

Results of these are checked against a bound. Losing the last element of K must still show, so
the last column of A and row of B are enlarged until their product stands clear of the bound
(`_mark`); on short sums they are just as large as the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import log2, sqrt
from typing import Final

import numpy as np

from pytest_applegpu.numerics.bounds import Arithmetic, gamma
from pytest_applegpu.numerics.draws import Order, Pair, signs
from pytest_applegpu.numerics.rounding import Array

_CLEAR: Final = 8.0
"""How many times the bound the last product is made."""


def normal(order: Order) -> Pair:
    """Draw standard normal numbers."""
    A, B = _both(order, order.rng.standard_normal)
    return order.store(*_mark(order, A, B, 0.64 * order.k, 4 * sqrt(order.k)))


def uniform(order: Order) -> Pair:
    """Draw positive numbers, uniform in (0, 1] times a factor for each row of A, column of B.

    All errors of one sign add up: what truncates shows as bias.
    """
    A, B = _both(order, lambda shape: 1 - order.rng.random(shape))
    A, B = _mark(order, A, B, order.k / 4, order.k / 4, positive=True)
    rows = np.exp2(order.rng.uniform(-1, 1, (*A.shape[:-1], 1)))
    cols = np.exp2(order.rng.uniform(-1, 1, (*B.shape[:-2], 1, B.shape[-1])))
    return order.store(A * rows, B * cols)


def spread(order: Order) -> Pair:
    """Draw signed numbers with exponents uniform over a wide range."""
    reach = {"float16": 3, "float64": 40}.get(order.dtype.name, 12)
    exponents = np.arange(-reach, reach + 1)
    mean, square = 1.5 * np.exp2(exponents).mean(), 7 / 3 * np.exp2(2.0 * exponents).mean()

    def draw(shape: tuple[int, ...]) -> Array:
        return _mantissas(order, shape) * np.exp2(order.rng.integers(-reach, reach + 1, shape))

    A, B = _both(order, draw)
    typical = 4 * square * sqrt(order.k)
    return order.store(*_mark(order, A, B, mean**2 * order.k, typical, least=4.0**reach))


def _mantissas(order: Order, shape: tuple[int, ...]) -> Array:
    return order.rng.uniform(1, 2, shape) * signs(order.rng, shape)


def _both(order: Order, draw: Callable[[tuple[int, ...]], Array]) -> Pair:
    """Draw A and B, or real and imaginary parts of each."""
    shapes = order.shape_a, order.shape_b
    if not order.dtype.is_complex:
        return draw(shapes[0]), draw(shapes[1])
    A, B = (draw(shape) + 1j * draw(shape) for shape in shapes)
    return A, B


def _needed(order: Order, magnitude: float, result: float) -> float:
    """Return how large a product must be to stand clear of the bound of its sum.

    `magnitude` and `result` estimate |A||B| and |C|. The route is taken at its worst: operands
    truncated to the promised bits, products and sums too.
    """
    arithmetic = Arithmetic(order.operand_bits, operand_truncates=True)
    unit = 2.0**-52 if order.dtype.name == "float64" else 2.0**-23
    relative = arithmetic.operand_error(order.dtype)
    relative += gamma(arithmetic.terms(order.dtype, order.k), unit)
    parts = 4 if order.dtype.is_complex else 1
    return _CLEAR * parts * (relative * magnitude + order.dtype.unit * result)


def _mark(
    order: Order,
    A: Array,
    B: Array,
    magnitude: float,
    result: float,
    *,
    least: float = 1.0,
    positive: bool = False,
) -> Pair:
    """Set the last column of A and row of B so that their products exceed the bound."""
    size = sqrt(max(least, _needed(order, magnitude, result)))
    # Complex: a real number times one with equal parts reaches both parts of C.
    both_parts = 1 + 1j if order.dtype.is_complex else 1
    for X, line, factor in ((A, np.s_[..., -1], 1), (B, np.s_[..., -1, :], both_parts)):
        values = size * _mantissas(order, X[line].shape)
        X[line] = factor * (np.abs(values) if positive else values)
    return A, B


def large(order: Order) -> Pair:
    """Draw numbers whose partial sums overflow in a half accumulator; results stay finite.

    A = [X, X] and B = [Y; -Y (1 + d)] with positive X, Y: the first half of K sums to more than
    twice float16's largest number (other formats: to a large power of two). Rows of X differ in
    size and columns of d in their mean, so that results differ by much more than their bound.
    """
    half = order.k // 2
    peak = {"float16": 4.0 * 65504, "float64": 2.0**900}.get(order.dtype.name, 2.0**100)
    scale = sqrt(peak / half / 0.5625) if half else sqrt(peak / 4.4)

    def draw(shape: tuple[int, ...]) -> Array:
        return order.rng.uniform(0.5, 1, shape) * scale

    if half == 0:
        return order.store(*_both(order, draw))
    shape_b = (*order.shape_b[:-2], half, order.shape_b[-1])
    halves = replace(order, shape_a=(*order.shape_a[:-1], half), shape_b=shape_b)
    X, Y = _both(halves, draw)
    # Neighbouring rows differ in size by a fifth at least.
    X *= np.where(np.arange(X.shape[-2]) % 2, 0.6, 0.9)[:, None]
    X *= order.rng.uniform(1, 1.1, (*X.shape[:-1], 1))
    most = 0.12 if order.dtype.name == "float16" else 0.5
    second = -Y * (1 + _difference(order, Y.shape, most))
    A, B = _insert(order, X, Y, second)
    # The last product counts as one of 2 * half: enlarge it where that is too small to show.
    need = _needed(order, 2 * peak, most * peak) / (peak / half)
    factor = sqrt(max(1.0, need))
    A[..., -1] *= factor
    B[..., -1, :] *= factor
    return order.store(A, B)


def _difference(order: Order, shape: tuple[int, ...], most: float) -> Array:
    """Draw d of `large`: a mean of each column, of either sign and up to `most`, and noise."""
    columns = (*shape[:-2], 1, shape[-1])
    mean = order.rng.choice([-1.0, 1.0], columns) * order.rng.uniform(0.4 * most, most, columns)
    return mean + order.rng.uniform(-0.04, 0.04, shape)


def _insert(order: Order, X: Array, Y: Array, second: Array) -> Pair:
    """Join the halves; an odd K has a column of zeros between them."""
    middle = order.k % 2
    gap_a = np.zeros((*X.shape[:-1], middle))
    gap_b = np.zeros((*Y.shape[:-2], middle, Y.shape[-1]))
    return np.concatenate([X, gap_a, X], -1), np.concatenate([Y, gap_b, second], -2)


def tiny(order: Order) -> Pair:
    """Draw normal numbers whose products and sums are subnormal in some rows, not in others.

    At least half the rows (of a single row: columns) stay clear of underflow, so that the case
    proves something even where hardware flushes to zero.
    """
    A, B = _both(order, lambda shape: _mantissas(order, shape))
    A, B = _mark(order, A, B, 2.25 * order.k, 6 * sqrt(order.k))
    clear = 6 if order.dtype.name == "float16" else int(1.5 * log2(order.k) + 6)
    lowest = round(log2(order.dtype.smallest_normal))
    low_b = lowest + 1 if order.dtype.name == "float16" else lowest // 2
    low_a = lowest - low_b - round(log2(sqrt(order.k)))
    rows, cols = np.zeros((*A.shape[:-1], 1)), np.zeros((*B.shape[:-2], 1, B.shape[-1]))
    if order.shape_a[-2] > 1:
        rows[..., 0] = _levels(order, rows.shape[:-1], clear)
    else:
        cols[..., 0, :] = _levels(order, (*cols.shape[:-2], cols.shape[-1]), clear)
    return order.store(A * np.exp2(low_a + rows), B * np.exp2(low_b + cols))


def _levels(order: Order, shape: tuple[int, ...], clear: int) -> Array:
    """Draw exponents along the last axis: one in three is low, the others are `clear`.

    More than half of all elements must be far from zero for the data to prove anything, and of
    the clear ones some cancel.
    """
    low = order.rng.integers(-6, clear + 1, shape)
    levels = np.full(shape, clear)
    # The last line is clear, so that the smallest results have one too.
    levels[..., ::-1][..., 1::3] = low[..., ::-1][..., 1::3]
    return levels
