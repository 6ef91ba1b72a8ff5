"""Flaws of `conv1d` and `conv2d`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from pytest_applegpu.forms.flaws.flaw import (
    SHAPES,
    TYPES,
    Call,
    Flaw,
    cast,
    longer,
    saying,
)

ASKED: Final = {
    "conv1d": ("conv1d-f32-nt-7x5x18-b2",),
    "conv2d": ("conv2d-f32-nt-16x5x54-b2 width=4",),
}

_DIVIDE: Final = "groups must divide the channels"


def _image(call: Call) -> Call:
    """Hand over the first image alone."""
    return call.given(input=call.array("input")[0])


def _short(call: Call) -> Call:
    """Hand over less of the input than the kernel covers."""
    return call.given(input=call.array("input")[:, :1])


def _groups(call: Call) -> Call:
    """Say a group more than there are channels."""
    return call.said(groups=call.array("input").shape[-1] + 1)


def _of(op: str) -> Iterator[Flaw]:
    asked = ASKED[op]
    why = "input and weight have as many channels"
    yield Flaw("channels", op, why, SHAPES, asked, longer("weight", -1))
    yield Flaw("groups", op, _DIVIDE, ("group",), asked, _groups)
    why = "an input has images, places and channels"
    yield Flaw("rank", op, why, SHAPES, asked, _image)
    why = "a kernel must fit into the input"
    yield Flaw("short", op, why, SHAPES, asked, _short, {"pad": ("0",), "taps": ("2", "3", "5")})
    why = "only floating-point formats are taken"
    yield Flaw("integers", op, why, TYPES, asked, cast(np.int32, "input", "weight"))
    yield Flaw("stride", op, "a stride is positive", ("stride",), asked, saying(stride=0))


FLAWS: Final = tuple(flaw for op in ASKED for flaw in _of(op))
