"""Tiles, corners and single elements of the result."""

from __future__ import annotations

from .fault import Numbers, result_fault
from .sizes import Sizes


@result_fault(lambda s: s.filled and s.m >= 64 and s.n >= 64)
def tile_corner(c: Numbers, sizes: Sizes) -> Numbers:
    """Add 1 to the first element of the last tile of 64 x 64."""
    c[..., (sizes.m - 1) // 64 * 64, (sizes.n - 1) // 64 * 64] += 1
    return c


@result_fault(lambda s: s.filled and s.m >= 128 and s.n >= 128)
def stale_tile(c: Numbers, sizes: Sizes) -> Numbers:
    """Write the first tile of 64 x 64 once more in place of the one diagonally below."""
    c[..., 64:128, 64:128] = c[..., :64, :64]
    return c


@result_fault(lambda s: s.filled and s.m >= 64 and s.n >= 64 and s.m % 64 == s.n % 64 == 0)
def swapped_halves(c: Numbers, sizes: Sizes) -> Numbers:
    """Swap the columns of the first two half tiles, where tiles are whole."""
    first, second = c[..., :32].copy(), c[..., 32:64].copy()
    c[..., :32], c[..., 32:64] = second, first
    return c


@result_fault(lambda s: s.filled and s.m >= 64 and s.n >= 64 and not (s.m % 64 or s.n % 64))
def missing_tile(c: Numbers, sizes: Sizes) -> Numbers:
    """Leave the last tile of 64 x 64 zero, where tiles are whole."""
    c[..., -64:, -64:] = 0
    return c


@result_fault(lambda s: s.filled and s.m == s.n and s.m > 1)
def transposed_result(c: Numbers, sizes: Sizes) -> Numbers:
    """Write a square result transposed."""
    return c.swapaxes(-1, -2)


@result_fault(lambda s: s.batch == () and s.m * s.n >= 1_000_000 and s.filled)
def one_in_a_million(c: Numbers, sizes: Sizes) -> Numbers:
    """Add 1 to one element of a million or more."""
    c.reshape(-1)[613_077] += 1
    return c


@result_fault()
def first_element(c: Numbers, sizes: Sizes) -> Numbers:
    """Add 1 to the very first element."""
    c.reshape(-1)[0] += 1
    return c


@result_fault(lambda s: s.filled and s.n > 1)
def swapped_columns(c: Numbers, sizes: Sizes) -> Numbers:
    """Swap the last two columns."""
    c[..., -2:] = c[..., -2:][..., ::-1].copy()
    return c
