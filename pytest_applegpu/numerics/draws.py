"""How are the integers of a fill drawn so that every sum of products is exact?

A is thinned: each row keeps a bounded number of elements, spread evenly over K, so that the sum
of |a||b| along K stays below a budget whatever K is. All of A is even but its last column, which
is odd, as is the last row of B: so every element of C is odd. None is zero, and a kernel that
loses the end of K changes all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.rounding import Array

Pair = tuple[Array, Array]

_DOUBLE_BUDGET: Final = 2**36
"""What integer sums in float64 may reach: far beyond a float32 accumulator, and low enough for
the projection of such results to be exact in float64."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be drawn: formats, shapes, promised bits, and the source of randomness."""

    dtype: DType
    shape_a: tuple[int, ...]
    shape_b: tuple[int, ...]
    operand_bits: int
    rng: np.random.Generator
    share: int = 1
    """What the budget is divided by, where more comes to a sum than the product."""

    @property
    def k(self) -> int:
        """Length of the sums."""
        return self.shape_a[-1]

    @property
    def bits(self) -> int:
        """Significant bits that an operand may use."""
        return min(self.operand_bits, self.dtype.significand)

    @property
    def budget(self) -> int:
        """Largest sum of |a||b| for which C is held exactly, by accumulator and output."""
        return min(self.dtype.exact_integer, _DOUBLE_BUDGET) // self.share

    @property
    def top(self) -> int:
        """Largest operand; half of it for complex parts, whose sums some kernels multiply."""
        return int(2**self.bits - 1) // (2 if self.dtype.is_complex else 1)

    def store(self, A: Array, B: Array) -> Pair:
        """Cast a pair to the storage format."""
        return A.astype(self.dtype.numpy), B.astype(self.dtype.numpy)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Magnitudes of the thinned integers: even ones of A, those of B, odd ones at the end."""

    terms: int
    even: int
    other: int
    odd: int


def sizes(order: Order, budget: int, most_terms: int) -> Sizes:
    """Share `budget` out over at most `most_terms` products and the last, odd one."""
    odd = min(isqrt(budget // (1 if order.k == 1 else 8)), order.top)
    odd -= 1 - odd % 2
    terms = min(order.k - 1, most_terms)
    each = (budget - odd * odd) // max(terms, 1)
    even = min(max(isqrt(each) // 2, 1), order.top // 2)
    return Sizes(terms, even, min(max(each // (2 * even), 1), order.top), odd)


def nonzero(rng: np.random.Generator, shape: tuple[int, ...], top: int) -> Array:
    """Draw integers from -top to top without 0."""
    drawn = rng.integers(-top, top, shape, dtype=np.int32)
    drawn += drawn >= 0
    return drawn


def odd(rng: np.random.Generator, shape: tuple[int, ...], top: int) -> Array:
    """Draw odd integers from -top to top (top odd)."""
    half = (top + 1) // 2
    return 2 * rng.integers(-half, half, shape, dtype=np.int32) + 1


def signs(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Draw 1 and -1."""
    return odd(rng, shape, 1)


def powers(rng: np.random.Generator, shape: tuple[int, ...], low: int, high: int) -> Array:
    """Draw signed powers of two, 2**low to 2**high, as float64."""
    return np.ldexp(signs(rng, shape).astype(np.float64), rng.integers(low, high + 1, shape))


def spread_out(values: Array, length: int, rng: np.random.Generator) -> Array:
    """Place the values of each row at random in `length` columns, one to each equal stretch."""
    terms = values.shape[-1]
    if terms == length:
        return values
    edges = np.arange(terms + 1) * length // max(terms, 1)
    widths = np.diff(edges)
    places = edges[:-1] + (rng.random(values.shape) * widths).astype(np.int64)
    row = np.zeros((*values.shape[:-1], length), values.dtype)
    np.put_along_axis(row, places, values, -1)
    return row


def with_ends(order: Order, body: Array, B: Array, top: int, *, odd_end: bool) -> Pair:
    """Complete `body` by a last column, and give B its last row: odd integers up to `top`.

    Without `odd_end` the last column is even, as the imaginary parts of A must be for both parts
    of a complex C to be odd.
    """
    last = odd(order.rng, (*body.shape[:-1], 1), top)
    A = np.concatenate([body, last if odd_end else last - np.sign(last)], -1)
    B[..., -1, :] = odd(order.rng, (*B.shape[:-2], B.shape[-1]), top)
    return A, B
