"""Ends that are lost: of K, of rows, of columns."""

from __future__ import annotations

from .fault import Numbers, operands_fault, result_fault
from .sizes import Sizes

Pair = tuple[Numbers, Numbers]


def _without(a: Numbers, b: Numbers, start: int, stop: int | None = None) -> Pair:
    """Take the terms from `start` on out of every sum."""
    a[..., start:stop] = 0
    b[..., start:stop, :] = 0
    return a, b


@operands_fault(lambda s: s.filled and s.k > 16 and s.k % 16 != 0, fills=("integer",))
def k_tail(a: Numbers, b: Numbers, sizes: Sizes) -> Pair:
    """Lose what lies past the last whole block of 16 along K."""
    return _without(a, b, sizes.k - sizes.k % 16)


@operands_fault(lambda s: s.filled and s.k > 1, fills=("integer",))
def last_term(a: Numbers, b: Numbers, sizes: Sizes) -> Pair:
    """Lose the last element of K."""
    return _without(a, b, sizes.k - 1)


@operands_fault(lambda s: s.filled and s.k > 4096, fills=("integer",))
def long_k(a: Numbers, b: Numbers, sizes: Sizes) -> Pair:
    """Lose everything past the first 4096 of K."""
    return _without(a, b, 4096)


@operands_fault(lambda s: s.filled and s.k > 1024 and s.k % 1024 != 0, fills=("integer",))
def k_past_1024(a: Numbers, b: Numbers, sizes: Sizes) -> Pair:
    """Lose what lies past the last whole 1024 of K, where K is above 1024."""
    return _without(a, b, sizes.k - sizes.k % 1024)


@operands_fault(lambda s: s.filled and s.k > 1 and s.k % 2 == 1, fills=("integer",))
def odd_k(a: Numbers, b: Numbers, sizes: Sizes) -> Pair:
    """Read the last element of B's columns a row too early, where K is odd."""
    b[..., -1, :] = b[..., -2, :]
    return a, b


@result_fault(lambda s: s.filled and s.m > 1)
def last_row(c: Numbers, sizes: Sizes) -> Numbers:
    """Leave the last row zero."""
    c[..., -1, :] = 0
    return c


@result_fault(lambda s: s.filled and s.n > 1)
def last_column(c: Numbers, sizes: Sizes) -> Numbers:
    """Leave the last column zero."""
    c[..., -1] = 0
    return c


@result_fault(lambda s: s.filled and s.m > 1)
def second_row(c: Numbers, sizes: Sizes) -> Numbers:
    """Give the second row the first one's numbers, where M is 2 or more."""
    c[..., 1, :] = c[..., 0, :]
    return c


@result_fault(lambda s: s.filled and s.m % 32 == 1 and s.m > 1)
def one_row_over(c: Numbers, sizes: Sizes) -> Numbers:
    """Lose the single row that 32 does not divide off, where M % 32 is 1."""
    c[..., -1, :] = 0
    return c


@result_fault(lambda s: s.filled and s.n % 64 != 0)
def n_off_64(c: Numbers, sizes: Sizes) -> Numbers:
    """Add 1 to the last column, where 64 does not divide N."""
    c[..., -1] += 1
    return c


@result_fault(lambda s: s.filled and s.m > 1024)
def rows_past_1024(c: Numbers, sizes: Sizes) -> Numbers:
    """Leave the rows past the first 1024 zero."""
    c[..., 1024:, :] = 0
    return c


@result_fault(lambda s: s.filled and s.n > 4096)
def columns_past_4096(c: Numbers, sizes: Sizes) -> Numbers:
    """Leave the columns past the first 4096 zero."""
    c[..., 4096:] = 0
    return c


@result_fault(lambda s: s.filled and s.m == 1 and s.n % 4 != 0 and s.n > 4)
def vector_tail(c: Numbers, sizes: Sizes) -> Numbers:
    """Lose the columns past the last whole 4 of a vector times a matrix."""
    c[..., sizes.n - sizes.n % 4 :] = 0
    return c
