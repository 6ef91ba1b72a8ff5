"""Convolutions: taps, padding and channels that are lost or taken in the wrong order."""

from __future__ import annotations

from typing import Any

import numpy as np

from .asked import Asked
from .fault import Numbers, answer_fault, filled, given_fault

_SEVERAL = {"taps": ("2", "3", "4", "5")}


@given_fault("conv1d", words=_SEVERAL, fills=("integer",))
def last_tap(call: Asked) -> Any:
    """Lose the last tap of a kernel."""
    weight = call.numbers("weight")
    if weight.shape[1] > 1:
        weight[:, -1] = 0
    return call.made(weight=weight)


@given_fault("conv1d", words=_SEVERAL, fills=("integer",))
def taps_turned_round(call: Asked) -> Any:
    """Take the taps of a kernel last to first, as a convolution in the strict sense does."""
    return call.made(weight=call.numbers("weight")[:, ::-1])


@given_fault("conv2d", words=_SEVERAL, fills=("integer",))
def kernel_transposed(call: Asked) -> Any:
    """Take the taps of a kernel column by column."""
    return call.made(weight=call.numbers("weight").swapaxes(1, 2))


@given_fault("conv2d", fills=("integer",))
def channels_off_four(call: Asked) -> Any:
    """Lose the channels of the input past the last whole 4, or the last one."""
    images = call.numbers("input")
    images[..., -(images.shape[-1] % 4 or 1) :] = 0
    return call.made(input=images)


@answer_fault("conv2d", words={"pad": ("1", "2")}, fills=("integer",))
def padding_wraps(c: Numbers, call: Asked) -> Numbers:
    """Read the other end of a row where padding is meant: the first place is the second's."""
    if call.given.get("padding"):
        c[..., 0, :] = c[..., 1, :]
    return c


@answer_fault("conv1d", lambda s: filled(s) and s.matrices > 1, fills=("integer",))
def image_repeated(c: Numbers, call: Asked) -> Numbers:
    """Give every image the first one's result."""
    return np.broadcast_to(c[:1], c.shape)
