"""Is a complex product made of four real ones, or of three?

(1 + ci)(1 + 0i) with c far below 1: the imaginary part is c by four products, and by three it is
(1 + c)(1 + 0) - 1 - 0, which has lost c (N. J. Higham, Accuracy and Stability of Numerical
Algorithms, 2002, sec. 23.2.4).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pytest_applegpu.numerics.card.answer import Feature, unknown
from pytest_applegpu.numerics.card.ask import Ask

NAME: Final = "complex product"

_SMALL: Final = 2.0**-60


def complexes(ask: Ask) -> list[Feature]:
    """Ask with the imaginary part in A, and in B."""
    if not ask.dtype.is_complex:
        return []
    parts = []
    for left, right in ((1 + _SMALL * 1j, 1), (1, 1 + _SMALL * 1j)):
        a, b = np.zeros((ask.m, ask.k), complex), np.zeros((ask.k, ask.n), complex)
        a[:, 0], b[0, :] = left, right
        parts.append(ask.product(a, b).imag)
    if all((part == _SMALL).all() for part in parts):
        return [Feature(NAME, "four real products", "a small imaginary part is kept")]
    if all((part == 0).all() for part in parts):
        return [Feature(NAME, "three real products", "a small imaginary part is lost beside 1")]
    return [unknown(NAME, "a small imaginary part is neither kept nor lost everywhere")]
