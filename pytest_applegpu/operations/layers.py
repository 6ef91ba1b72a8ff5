"""`linear` and `quantized_linear`: A W^T + c, the bias c one row for all rows of the product."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from pytest_applegpu.forms.layers import has_bias
from pytest_applegpu.numerics.draws import nonzero
from pytest_applegpu.numerics.rounding import widen
from pytest_applegpu.operations.dense import SHARE, like
from pytest_applegpu.operations.drawn import Drawn, Pencil
from pytest_applegpu.operations.quantized import draw_quantized

PACKED_SHARE: Final = 4
"""How much smaller exact sums of packed weights are, so that a bias finds room beside them."""

_MOST: Final = 2**16


def linear(pencil: Pencil) -> Drawn:
    """Draw inputs, a weight, which is handed over as (N, K), and a bias."""
    A, B = pencil.pair(SHARE)
    drawn = Drawn((A, np.swapaxes(B, -1, -2)), A, B)
    return _biased(pencil, drawn, SHARE, 0.0) if has_bias(pencil.problem) else drawn


def quantized_linear(pencil: Pencil) -> Drawn:
    """Draw inputs, a packed weight, and a bias, which is added to what was rounded before."""
    if not has_bias(pencil.problem):
        return draw_quantized(pencil)
    drawn = draw_quantized(pencil, PACKED_SHARE)
    return _biased(pencil, drawn, PACKED_SHARE, pencil.problem.dtype.unit)


def _biased(pencil: Pencil, drawn: Drawn, share: int, kept_unit: float) -> Drawn:
    """Add a bias of about the product's size, or of whole numbers that leave it exact."""
    problem = pencil.problem
    shape = (problem.n,)
    if pencil.is_exact:
        top = min(max(pencil.order(share).budget, 1), _MOST)
        c = nonzero(pencil.rng, shape, top).astype(problem.dtype.numpy)
    else:
        c = like(pencil, shape, drawn.A, drawn.B)
    addend = np.broadcast_to(widen(c), (*problem.batch, problem.m, problem.n))
    epilogue = replace(drawn.epilogue, addend=addend, kept_unit=kept_unit)
    return replace(drawn, sent=(*drawn.sent, c), epilogue=epilogue)
