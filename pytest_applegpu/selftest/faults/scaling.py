"""Every element is off by the same rule: a factor, a sign, an addend."""

from __future__ import annotations

import numpy as np

from .fault import Numbers, result_fault
from .sizes import COMPLEX, Sizes


@result_fault(fills=("integer", "normal"))
def slightly_scaled(c: Numbers, sizes: Sizes) -> Numbers:
    """Multiply the result by 1 + 2**-10."""
    with np.errstate(all="ignore"):
        return np.asarray(c * np.asarray(1 + 2.0**-10, c.dtype))


@result_fault()
def doubled(c: Numbers, sizes: Sizes) -> Numbers:
    """Double the result, as if alpha were 2."""
    with np.errstate(all="ignore"):
        return c + c


@result_fault()
def negated(c: Numbers, sizes: Sizes) -> Numbers:
    """Negate the result."""
    return -c


@result_fault(fills=("integer", "normal"))
def sign_lost(c: Numbers, sizes: Sizes) -> Numbers:
    """Lose the sign of the result."""
    return np.abs(c).astype(c.dtype)


@result_fault(formats=COMPLEX)
def conjugated(c: Numbers, sizes: Sizes) -> Numbers:
    """Give the complex conjugate."""
    return np.conj(c)


@result_fault(formats=COMPLEX)
def imaginary_lost(c: Numbers, sizes: Sizes) -> Numbers:
    """Lose the imaginary part."""
    return c.real.astype(c.dtype)


@result_fault(lambda s: s.filled and s.m > 1, fills=("integer",))
def accumulated(c: Numbers, sizes: Sizes) -> Numbers:
    """Add the first row to the second, as if the accumulator had not been cleared."""
    with np.errstate(all="ignore"):
        c[..., 1, :] += c[..., 0, :]
    return c
