"""Arithmetics with known features, for the feature card to find: exact, in Python's integers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.card.ask import Ask
from pytest_applegpu.numerics.card.modes import EVEN, ZERO, round_on
from pytest_applegpu.numerics.card.operands import cut
from pytest_applegpu.numerics.rounding import Array, round_to, widen

Terms = list[Fraction]
Order = Callable[[Terms, "Arithmetic"], Fraction]
NONE = Fraction(0)


def exponent(value: Fraction) -> int:
    """Return e with 2**e <= |value| < 2**(e + 1), for a value that is not 0."""
    top = abs(value)
    guess = top.numerator.bit_length() - top.denominator.bit_length()
    return guess if top >= Fraction(2) ** guess else guess - 1


def rounded(value: Fraction, bits: int, mode: str) -> Fraction:
    """Return `value` with `bits` significant bits."""
    return round_on(value, Fraction(2) ** (exponent(value) + 1 - bits), mode) if value else value


def chain(terms: Terms, how: Arithmetic) -> Fraction:
    """Add one after another."""
    total = Fraction(0)
    for term in terms:
        if term:
            total = how.step(total + term)
    return total


def reverse(terms: Terms, how: Arithmetic) -> Fraction:
    """Add the last first."""
    return chain(terms[::-1], how)


def lanes(terms: Terms, how: Arithmetic) -> Fraction:
    """Add every fourth term into one of four sums, and these one after another."""
    return chain([chain(terms[lane::4], how) for lane in range(4)], how)


def blocks_of_four(terms: Terms, how: Arithmetic) -> Fraction:
    """Add fours by themselves, one after another, and their sums one after another."""
    return chain([chain(terms[at : at + 4], how) for at in range(0, len(terms), 4)], how)


def halves(terms: Terms, how: Arithmetic) -> Fraction:
    """Add each half by itself, and so on."""
    if len(terms) == 1:
        return how.step(terms[0])
    middle = len(terms) // 2
    return how.step(halves(terms[:middle], how) + halves(terms[middle:], how))


def exactly(size: int) -> Order:
    """Add `size` terms and the sum exactly, and round once."""

    def order(terms: Terms, how: Arithmetic) -> Fraction:
        total = Fraction(0)
        for at in range(0, len(terms), size):
            total = how.step(total + sum(terms[at : at + size], Fraction(0)))
        return total

    return order


def aligned(size: int, extra: int, *, with_sum: bool = True) -> Order:
    """Align `size` terms (and the sum) to the largest, cut below `extra` bits more, add, round."""

    def block(terms: Terms, how: Arithmetic) -> Fraction:
        some = [term for term in terms if term]
        if not some:
            return Fraction(0)
        top = max(map(exponent, some))
        unit = Fraction(2) ** (top + 1 - how.bits - extra)
        return how.step(sum((round_on(term, unit, ZERO) for term in some), Fraction(0)))

    def order(terms: Terms, how: Arithmetic) -> Fraction:
        total = Fraction(0)
        for at in range(0, len(terms), size):
            new = terms[at : at + size]
            total = block([total, *new], how) if with_sum else how.step(total + block(new, how))
        return total

    return order


def long(terms: Terms, how: Arithmetic) -> Fraction:
    """Add everything exactly, and round once."""
    return how.step(sum(terms, Fraction(0)))


@dataclass(frozen=True)
class Arithmetic:
    """What a simulated multiplier does; see the fields' names. One machine of `Ask`.

    `flushes` names where subnormal numbers become zero: operands, results. `rows_at` is the number
    of rows from which another order of summation is taken; `shaky` gives every other call another.
    """

    dtype: DType = DTYPES["float32"]
    operand_bits: int | None = None
    operand_mode: str = EVEN
    product_bits: int | None = None
    bits: int = 24
    mode: str = EVEN
    order: Order = chain
    flushes: tuple[str, ...] = ()
    result_mode: str = EVEN
    rows_at: int | None = None
    shaky: bool = False
    three: bool = False

    def step(self, value: Fraction) -> Fraction:
        """Return a sum as the accumulator holds it."""
        return rounded(value, self.bits, self.mode)

    def multiply(self, a: Array, b: Array) -> Array:
        """Return A B in the storage format."""
        other = self.rows_at is not None and a.shape[-2] >= self.rows_at
        return self._multiply(a, b, reverse if other else self.order)

    def repeat(self, a: Array, b: Array, times: int) -> Sequence[Hashable]:
        """Return the bytes of each call."""
        orders = [reverse if self.shaky and turn % 2 else self.order for turn in range(times)]
        found = {order: self._multiply(a, b, order).tobytes() for order in set(orders)}
        return [found[order] for order in orders]

    def _multiply(self, a: Array, b: Array, order: Order) -> Array:
        batch = a.shape[:-2]
        left, right = (widen(one).reshape(-1, *one.shape[-2:])[0] for one in (a, b))
        one = (
            self._complex(left, right, order)
            if self.dtype.is_complex
            else (self._real(left, right, order))
        )
        return np.broadcast_to(one, (*batch, *one.shape)).astype(self.dtype.numpy)

    def _complex(self, a: Array, b: Array, order: Order) -> Array:
        p, q = self._real(a.real, b.real, order), self._real(a.imag, b.imag, order)
        if self.three:
            r = self._real(self._single(a.real + a.imag), self._single(b.real + b.imag), order)
            return self._single(p - q) + 1j * self._single(self._single(r - p) - q)
        cross = self._real(a.real, b.imag, order) + self._real(a.imag, b.real, order)
        return self._single(p - q) + 1j * self._single(cross)

    @staticmethod
    def _single(values: Array) -> Array:
        return round_to(values, DTYPES["float32"])

    def _real(self, a: Array, b: Array, order: Order) -> Array:
        left, right = (self._operand(np.ascontiguousarray(one)) for one in (a, b))
        columns = right.T.tolist()
        rows: dict[bytes, list[float]] = {}
        for row in left:
            if row.tobytes() not in rows:
                numbers = row.tolist()
                rows[row.tobytes()] = [self._result(numbers, one, order) for one in columns]
        return np.array([rows[row.tobytes()] for row in left])

    def _operand(self, values: Array) -> Array:
        kept = cut(values, self.operand_bits, self.operand_mode) if self.operand_bits else values
        small = np.abs(kept) < self.dtype.smallest_normal
        return np.where(small, 0.0, kept) if "operands" in self.flushes else kept

    def _result(self, row: list[float], column: list[float], order: Order) -> float:
        terms = [self._product(x, y) if x and y else NONE for x, y in zip(row, column, strict=True)]
        total = order(terms, self)
        tiny = abs(total) < Fraction(self.dtype.smallest_normal)
        if tiny:
            return 0.0 if "results" in self.flushes else float(total)
        return float(rounded(total, self.dtype.significand, self.result_mode))

    def _product(self, x: float, y: float) -> Fraction:
        value = Fraction(x) * Fraction(y)
        return rounded(value, self.product_bits, EVEN) if self.product_bits else value


def ask(machine: Arithmetic, m: int = 1, n: int = 16, k: int = 32) -> Ask:
    """Return a small route of the machine's."""
    return Ask(machine.dtype, m, n, k, (), machine)
