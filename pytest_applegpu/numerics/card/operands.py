"""How many significant bits of an operand are kept, and how are the others rounded away?

An operand times one comes out as it went in, if and only if nothing was cut. Values of full
significands, with ties for every number of bits, tell numbers of bits and roundings apart. Nothing
is added but zeros, so order and accumulator have no part in it, as long as the accumulator is no
narrower than the operand is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.card.answer import Feature, unknown
from pytest_applegpu.numerics.card.ask import Ask
from pytest_applegpu.numerics.card.modes import AWAY, EVEN, ZERO
from pytest_applegpu.numerics.rounding import Array

_RANDOM: Final = 48
_WIDE: Final = 53


@dataclass(frozen=True, slots=True)
class Kept:
    """Significant bits that are kept of an operand (0: not known), and the feature that says it."""

    bits: int
    feature: Feature


def values(dtype: DType) -> Array:
    """Return float64 numbers of `dtype`: full significands, and ties for every number of bits."""
    full, random = dtype.significand, np.random.Generator(np.random.Philox(11))
    whole = [int(n) * 2 + 1 for n in random.integers(2 ** (full - 2), 2 ** (full - 1), _RANDOM)]
    for bits, odd in product(range(2, full), (0, 1)):
        drop = full - bits
        # A tie to the right of the last bit kept, and that bit even or odd.
        head = (int(random.integers(2 ** (bits - 2), 2 ** (bits - 1))) << 1) | odd
        whole.append((head << drop) | (1 << (drop - 1)))
    signs = random.choice(np.array([-1.0, 1.0]), len(whole))
    scaled: Array = np.ldexp(signs * np.array(whole, np.float64), 1 - full)
    return scaled


def cut(x: Array, bits: int, mode: str) -> Array:
    """Return float64 `x` with `bits` significant bits: to nearest (ties to even, away) or cut."""
    lost = _WIDE - bits
    if lost <= 0:
        return x
    word = x.view(np.int64)
    half = 1 << (lost - 1)
    if mode == EVEN:
        word = word + (half - 1 + ((word >> lost) & 1))
    elif mode == AWAY:
        word = word + half
    result: Array = (word & -(1 << lost)).view(np.float64)
    return result


def operand(ask: Ask, side: str) -> Kept:
    """Ask what is kept of the operand `side`, A or B."""
    sent = values(ask.dtype)
    return read(f"operand {side}", ask.dtype, sent, _copies(ask, side, sent))


def read(name: str, dtype: DType, sent: Array, got: Array) -> Kept:
    """Tell what makes `got` of the numbers `sent`."""
    full = dtype.significand
    if np.array_equal(sent, got):
        return Kept(full, Feature(name, f"{full} bits", f"all {len(sent)} came back whole"))
    models = product(range(full - 1, 1, -1), (EVEN, AWAY, ZERO))
    wrong = {model: cut(sent, *model) != got for model in models}
    bits, mode = min(wrong, key=lambda model: int(wrong[model].sum()))
    missed = np.flatnonzero(wrong[bits, mode])
    if not missed.size:
        said = f"{len(sent)} values, each as it is with {bits} bits, {mode}"
        return Kept(bits, Feature(name, f"{bits} bits, {mode}", said))
    first = missed[0]
    said = f"{len(missed)} of {len(sent)} are not what {bits} bits, {mode}, make of them: "
    came = f"{float(sent[first]).hex()} became {float(got[first]).hex()}"
    return Kept(0, unknown(name, said + came))


def _copies(ask: Ask, side: str, sent: Array) -> Array:
    """Return what becomes of each number, alone in its sum and times one."""
    across = min(ask.n if side == "A" else ask.m, ask.k)
    down = ask.m if side == "A" else ask.n
    step = across * down
    parts = []
    for start in range(0, len(sent), step):
        grid = np.zeros(step)
        some = sent[start : start + step]
        grid[: len(some)] = some
        parts.append(_grid(ask, side, grid.reshape(down, across)).reshape(-1)[: len(some)])
    return np.concatenate(parts)


def _grid(ask: Ask, side: str, grid: Array) -> Array:
    """Return the numbers (rows, columns) as they come through the operand `side`.

    Complex ones take turns as real and as imaginary parts: both at once meet in one sum where a
    complex product is made of three real ones.
    """
    down, across = grid.shape
    parts = np.ones_like(grid, np.complex128 if ask.dtype.is_complex else np.float64)
    if ask.dtype.is_complex:
        parts.reshape(-1)[1::2] = 1j
    lines = np.zeros((down, ask.k), parts.dtype)
    lines[:, :across] = grid * parts
    ones = np.eye(ask.k, ask.n if side == "A" else ask.m)
    got = ask.product(lines, ones) if side == "A" else ask.product(ones.T, lines.T).T
    came: Array = (got[:, :across] / parts).real
    return came
