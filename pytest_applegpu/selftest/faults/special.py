"""NaN, Inf, and products without a term."""

from __future__ import annotations

import numpy as np

from .fault import Numbers, result_fault
from .sizes import UNPAIRED, Sizes


@result_fault(fills=("special",))
def nan_to_zero(c: Numbers, sizes: Sizes) -> Numbers:
    """Write 0 where the result is NaN."""
    c[np.isnan(c)] = 0
    return c


def _ill(c: Numbers) -> Numbers:
    """Tell which rows are NaN from end to end, shape (*batch, M, 1)."""
    return np.asarray(np.isnan(c).all(axis=-1, keepdims=True))


@result_fault(lambda s: s.filled and s.m > 1, formats=UNPAIRED, fills=("special",))
def nan_leaks_down(c: Numbers, sizes: Sizes) -> Numbers:
    """Let a row of NaN spread to the row below."""
    below = np.roll(_ill(c), 1, axis=-2)
    below[..., 0, :] = False
    return np.where(below, np.asarray(np.nan, c.dtype), c)


@result_fault(lambda s: s.filled and s.matrices > 1, formats=UNPAIRED, fills=("special",))
def nan_leaks_on(c: Numbers, sizes: Sizes) -> Numbers:
    """Let NaN spread to the same element of the next matrix of a batch."""
    stack = c.reshape(-1, *c.shape[-2:])
    ill = np.isnan(stack)
    stack[1:][ill[:-1]] = np.nan
    return c


@result_fault(formats=UNPAIRED, fills=("special",))
def inf_to_largest(c: Numbers, sizes: Sizes) -> Numbers:
    """Write the largest finite number where the result is Inf."""
    largest = 3.3895314e38 if sizes.dtype == "bfloat16" else float(np.finfo(c.dtype).max)
    infinite = np.isinf(c)
    c[infinite] = np.copysign(largest, c[infinite])
    return c


@result_fault(formats=UNPAIRED, fills=("special",))
def inf_sign_lost(c: Numbers, sizes: Sizes) -> Numbers:
    """Write Inf where the result is -Inf."""
    c[np.isneginf(c)] = np.inf
    return c


@result_fault(formats=UNPAIRED, fills=("special",))
def inf_to_nan(c: Numbers, sizes: Sizes) -> Numbers:
    """Write NaN where the result is Inf."""
    c[np.isinf(c)] = np.nan
    return c


@result_fault(lambda s: s.k == 0 and s.m * s.n * s.matrices > 0)
def nothing_written(c: Numbers, sizes: Sizes) -> Numbers:
    """Leave the result as it lies in memory, where K is 0."""
    c[...] = 7
    return c
