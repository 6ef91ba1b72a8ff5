"""Are products exact when they enter the sum?

For x and y of b bits, the product x y has 2 b bits; h is x y rounded to b bits. The sum of x y and
-h times one is the rest x y - h, which b bits hold, if the product was exact, and 0 if it was
rounded to b bits first (test B of Fasi et al. 2021). Where 2 b bits are more than the accumulator
has, the product is rounded as soon as it is added to anything: only a fused multiply-add that finds
-h in the sum already gives the rest. Which position is added before which is not known, so many
are tried.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pytest_applegpu.numerics.card.answer import Feature, unknown
from pytest_applegpu.numerics.card.ask import Ask
from pytest_applegpu.numerics.rounding import Array

NAME: Final = "products"

_TRIED: Final = 64
_SHIFTS: Final = {"float16": 4}
"""Binary places by which factors are shifted so that what is left stays a normal number."""


def products(ask: Ask, bits: int) -> Feature:
    """Ask for products of factors of `bits` significant bits: what operands are known to keep."""
    sums, rests = zip(*(_asked(ask, bits, layout) for layout in (0, 1, 2)), strict=True)
    return read(bits, np.concatenate(sums), np.concatenate(rests))


def read(bits: int, got: Array, rest: Array) -> Feature:
    """Tell from the sums of x y and -h, and the rests that exact products leave."""
    exact, gone = int(np.sum(got == rest)), int(np.sum(got == 0))
    said = f"{exact} of {len(got)} sums of x y - h keep what lies below {bits} bits"
    if exact == len(got):
        return Feature(NAME, "exact", said)
    if exact and exact + gone == len(got):
        return Feature(NAME, "exact, rounded with the sum", f"{said}: a fused multiply-add")
    if gone == len(got):
        return Feature(NAME, f"rounded to {bits} bits", said)
    return unknown(NAME, f"{said}, {gone} keep nothing, others neither")


def _asked(ask: Ask, bits: int, layout: int) -> tuple[Array, Array]:
    """Return sums and rests, with x y and h at positions that `layout` chooses."""
    x, y, head, rest = factors(bits, _SHIFTS.get(ask.dtype.name, 0))
    ones = np.zeros(ask.k, bool)
    ones[{0: slice(0, 1), 1: slice(1, None), 2: slice(0, ask.k // 2)}[layout]] = True
    common = np.where(ones, 1.0, x)
    pairs = [(o, p) for o, p in _pairs(layout, ask.k) if ones[o] and not ones[p]]
    lines = np.zeros((len(pairs), ask.k))
    for row, (one, place) in enumerate(pairs):
        lines[row, place] = y[row % len(y)]
        lines[row, one] = -head[row % len(y)]
    return ask.dots(common, lines), np.resize(rest, len(pairs))


def _pairs(layout: int, k: int) -> list[tuple[int, int]]:
    """Return positions of h and of x y."""
    others = [*range(1, min(k, _TRIED))]
    if layout == 0:
        return [(0, j) for j in others]
    if layout == 1:
        return [(j, 0) for j in others]
    return [(j % (k // 2), k // 2 + j * (k // 2) // len(others)) for j in range(len(others))]


def factors(bits: int, shift: int) -> tuple[float, Array, Array, Array]:
    """Return x, numbers y, the products rounded to `bits` bits, and the rests: all exact."""
    random = np.random.Generator(np.random.Philox(5))
    least, most = 2 ** (bits - 2), 2 ** (bits - 1)
    x, *ys = (int(n) * 2 + 1 for n in random.integers(least, most, 17))
    heads = [_rounded(x * y, bits) for y in ys]
    rests = [x * y - head for y, head in zip(ys, heads, strict=True)]
    unit = 2.0 ** (shift + 1 - bits)
    scaled = (np.array([float(n) for n in many]) for many in (ys, heads, rests))
    y, head, rest = scaled
    return x * unit, y * unit, head * unit**2, rest * unit**2


def _rounded(whole: int, bits: int) -> int:
    """Return a positive number rounded to `bits` significant bits; there are no ties of odd ones.

    (A tie's last bits are 1000...0, and products of odd numbers are odd.)
    """
    drop = whole.bit_length() - bits
    return ((whole >> (drop - 1)) + 1 >> 1) << drop if drop > 0 else whole
