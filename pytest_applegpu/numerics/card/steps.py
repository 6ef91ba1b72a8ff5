"""How is the running sum rounded, and with how many bits below its last one?

To a sum B = 1.5 (last bit 0) a term of f units in B's last place is added, and B taken away
again. What is left, in whole units, depends on how the sum is rounded, and on how many bits of the
term are kept below the last place when it is aligned with B (the tests C and D of Fasi et al.
2021: rounding modes, and extra bits). Every mode with every number of extra bits predicts an
outcome for every f; those are told that predict what came out. A term has up to 6 significant bits,
which the narrowest accumulator (bfloat16, 8 bits) holds by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from pytest_applegpu.numerics.card.answer import Feature, unknown
from pytest_applegpu.numerics.card.ask import Ask
from pytest_applegpu.numerics.card.modes import MODES, ZERO, round_on
from pytest_applegpu.numerics.card.triples import Way

ROUNDING: Final = "rounding of sums"
EXTRA: Final = "extra bits"

_FINEST: Final = 6
"""Bits below the last place that are told apart; more of them are as good as all."""

_BASE: Final = Fraction(3, 2)
_SHIFTS: Final = {"float16": (6, 9)}
"""Binary places by which the common factor is scaled down, and B up, to stay in range."""

_HALF: Final = Fraction(1, 2)
SHARES: Final = tuple(
    sign * share
    for sign in (1, -1)
    for share in (
        *(Fraction(1, 2**n) for n in range(1, _FINEST + 1)),
        *(Fraction(n, 4) for n in (3, 5, 6, 7)),
        *(_HALF + Fraction(1, 2**n) for n in range(3, _FINEST + 1)),
    )
)
"""Sizes of the small term, in units of the last place of the sum.

Those above 1 make the last bit odd, where ties to even go up.
"""


def steps(ask: Ask, bits: int, way: Way) -> tuple[Feature, Feature]:
    """Ask how a sum of `bits` significant bits, met at `way`, is rounded; and its extra bits."""
    down, up = _SHIFTS.get(ask.dtype.name, (0, 0))
    unit = Fraction(2) ** (up + 1 - bits)
    base = _BASE * 2**up
    asked = [
        (sign, share) for sign in (1, -1) for share in SHARES if _holds(ask, unit, down, share)
    ]
    lines = np.zeros((len(asked), ask.k))
    for line, (sign, share) in zip(lines, asked, strict=True):
        terms = (sign * base, share * unit, -sign * base)
        line[[*way]] = [float(term * 2**down) for term in terms]
    got = ask.dots(np.full(ask.k, 2.0**-down), lines)
    if not np.isfinite(got).all():
        said = "sums of ordinary numbers are not finite"
        return unknown(ROUNDING, said), unknown(EXTRA, said)
    return read(asked, [Fraction(float(one)) / unit for one in got], bits)


def _holds(ask: Ask, unit: Fraction, down: int, share: Fraction) -> bool:
    """Tell whether the format holds the small term as a normal number."""
    return float(abs(share) * unit * 2**down) >= ask.dtype.smallest_normal


def left(sign: int, share: Fraction, bits: int, mode: str, extra: int | None) -> Fraction:
    """Return what is left, in units, when the term is aligned with `extra` bits and B taken away.

    The term is cut toward zero when it is aligned; None: it is not cut.
    """
    base = sign * _BASE * 2 ** (bits - 1)
    term = share if extra is None else round_on(share, Fraction(1, 2**extra), ZERO)
    remains: Fraction = round_on(base + term, Fraction(1), mode) - base
    return remains


def read(
    asked: Sequence[tuple[int, Fraction]], got: Sequence[Fraction], bits: int
) -> tuple[Feature, Feature]:
    """Tell which modes and extra bits leave what was left, in units of the last place."""
    fits = [
        (mode, extra)
        for mode in MODES
        for extra in (*range(_FINEST), None)
        if all(
            left(sign, share, bits, mode, extra) == one
            for (sign, share), one in zip(asked, got, strict=True)
        )
    ]
    least, most = (choose(abs(share) for _, share in asked) for choose in (min, max))
    said = f"{len(asked)} terms between {least} and {most} of the last place"
    if not fits:
        why = f"no rounding explains what {said} leave"
        return unknown(ROUNDING, why), unknown(EXTRA, why)
    return _rounding([mode for mode, _ in fits], said), _extra({extra for _, extra in fits}, said)


def _rounding(modes: list[str], said: str) -> Feature:
    """Name the mode; a term that is cut away when it is aligned shows none, and is truncated."""
    distinct = list(dict.fromkeys(modes))
    return Feature(ROUNDING, ZERO if len(distinct) == len(MODES) else " or ".join(distinct), said)


def _extra(extras: set[int | None], said: str) -> Feature:
    if None in extras:
        return Feature(EXTRA, f"{_FINEST} or more", f"{said}: all of their bits count")
    least, most = (choose(one for one in extras if one is not None) for choose in (min, max))
    return Feature(EXTRA, f"{least}" if least == most else f"{least} to {most}", said)
