"""Are subnormal numbers kept or flushed to zero: as operands, as products, as sums?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from pytest_applegpu.numerics.card.answer import Feature, unknown
from pytest_applegpu.numerics.card.ask import Ask
from pytest_applegpu.numerics.rounding import Array

NAME: Final = "subnormal"


@dataclass(frozen=True, slots=True)
class Powers:
    """Exponents: a subnormal operand, what makes it normal, and halves of a subnormal product."""

    operand: int
    partner: int
    halves: tuple[int, int]


_POWERS: Final = {
    "float64": Powers(-1030, 200, (-515, -515)),
    "float16": Powers(-18, 8, (-9, -9)),
}
_SINGLE: Final = Powers(-130, 60, (-70, -60))


def subnormals(ask: Ask) -> list[Feature]:
    """Ask for both operands, for products and for sums."""
    powers = _POWERS.get(ask.dtype.name, _SINGLE)
    pairs = {
        "operand A": (powers.operand, powers.partner),
        "operand B": (powers.partner, powers.operand),
        "products": powers.halves,
    }
    return [*(_product(ask, name, *pair) for name, pair in pairs.items()), _sum(ask)]


def _product(ask: Ask, name: str, left: int, right: int) -> Feature:
    a, b = np.zeros((ask.m, ask.k)), np.zeros((ask.k, ask.n))
    a[:, 0], b[0, :] = 2.0**left, 2.0**right
    got = ask.product(a, b).real
    return read(name, got, 2.0 ** (left + right), f"2**{left} times 2**{right}")


def _sum(ask: Ask) -> Feature:
    least = ask.dtype.smallest_normal
    line = np.zeros((1, ask.k))
    line[0, :2] = 1.5 * least, -least
    got = ask.dots(np.ones(ask.k), line)
    power = int(np.log2(least))
    return read("sums", got, least / 2, f"1.5 * 2**{power} - 2**{power}")


def read(name: str, got: Array, exact: float, said: str) -> Feature:
    """Tell whether all results are exact, or all zero."""
    if (got == exact).all():
        return Feature(f"{NAME} {name}", "kept", f"{said} is 2**{round(np.log2(exact))}")
    if (got == 0).all():
        return Feature(f"{NAME} {name}", "flushed", f"{said} is 0")
    return unknown(f"{NAME} {name}", f"{said} gives {float(got.flat[0]).hex()}, or differs")
