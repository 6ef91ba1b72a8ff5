"""Flaws of `quantize` and `dequantize`."""

from __future__ import annotations

from typing import Final

import numpy as np

from pytest_applegpu.forms.flaws.dense import REAL
from pytest_applegpu.forms.flaws.flaw import SHAPES, TYPES, Call, Flaw, cast, longer, saying
from pytest_applegpu.forms.flaws.packed import (
    BITS,
    GROUP,
    MODE,
    of_weights,
)

_MODES: Final = ("", " mode=mxfp4", " mode=mxfp8", " mode=nvfp4")
QUANTIZE: Final = tuple(f"quantize-f32-nt-1x8x64{mode}" for mode in _MODES)
DEQUANTIZE: Final = tuple(f"dequantize-f32-nt-1x8x64{mode}" for mode in _MODES)

_RAGGED: Final = "a row must be whole groups"
_MATRIX: Final = "weights are a matrix, or a stack of them"


def _row(call: Call) -> Call:
    """Hand over the first row of each operand, which is no matrix."""
    rows = {one.name: call.array(one.name).reshape(-1, one.shape[-1])[0] for one in call.forms}
    return call.given(**rows)


def _group(call: Call) -> Call:
    """Say groups that the mode lacks, of which rows may be made."""
    return call.said(group_size=16 if call.mode == "affine" else 2 * _said(call, "group_size"))


def _said(call: Call, name: str) -> int:
    return int(call.invocation.named[name])


def _bits(call: Call) -> Call:
    return call.said(bits=7 if call.mode == "affine" else 6)


FLAWS: Final = (
    Flaw("mode", "quantize", MODE, ("mode",), QUANTIZE[:1], saying(mode="int4")),
    Flaw("group", "quantize", GROUP, ("group",), QUANTIZE, _group),
    Flaw("bits", "quantize", BITS, ("bits",), QUANTIZE, _bits),
    Flaw("ragged", "quantize", _RAGGED, ("divisible", *SHAPES), QUANTIZE, longer("w", -1)),
    Flaw("vector", "quantize", _MATRIX, SHAPES, QUANTIZE[:1], _row),
    Flaw("integers", "quantize", REAL, TYPES, QUANTIZE[:1], cast(np.int32, "w")),
    Flaw("complex", "quantize", REAL, TYPES, QUANTIZE[:1], cast(np.complex64, "w")),
    *of_weights("dequantize", DEQUANTIZE[:1], DEQUANTIZE[1:]),
    Flaw("vector", "dequantize", _MATRIX, SHAPES, DEQUANTIZE[:1], _row),
)
