"""Flaws of products with packed weights: `quantized_matmul`, `gather_qmm` and `qqmm`.

Groups and bits that a mode lacks come with scales and codes of the very shapes that would fit
them, so that nothing but the number is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from pytest_applegpu.forms.flaws.flaw import (
    SHAPES,
    TYPES,
    Array,
    Call,
    Flaw,
    grown,
    longer,
    saying,
    unlike,
)
from pytest_applegpu.forms.flaws.stacks import float_indices, unlike_indices

Texts = tuple[str, ...]

_WORD: Final = 32
_FLOATING: Final = ("mxfp4", "mxfp8", "nvfp4")
AFFINE: Final = {"mode": ("affine",)}
FLOATING: Final = {"mode": _FLOATING}

INNER: Final = "the first operand must be as long as a row of the unpacked weights"
GROUP: Final = "affine weights have groups of 32, 64 or 128, the others one size each: `quantize`"
BITS: Final = "affine weights have 1 to 6 or 8 bits, the others one number each: `quantize`"
MODE: Final = "there is no such mode"
CODES: Final = "codes are packed in uint32"
SCALES: Final = "affine scales are floating-point numbers, those of the other modes uint8"
FITTING: Final = "there is a scale for each group"
ALIKE: Final = "scales and biases must have one shape"
NEEDED: Final = "affine weights have biases"
UNWANTED: Final = "weights of the other modes have none"


def scale_names(call: Call) -> list[str]:
    """Return the names of the operands that have a number for each group."""
    return [one.name for one in call.forms if one.name in {"scales", "biases"}]


def other_group(call: Call) -> Call:
    """Say groups that the mode lacks: of 16, or of twice its own; every scale has its group."""
    own = int(call.invocation.named["group_size"])
    group = 16 if call.mode == "affine" else 2 * own

    def regrouped(array: Array) -> Array:
        fine = np.repeat(array, max(own // group, 1), axis=-1)
        return fine[..., :: max(group // own, 1)]

    fitting = {name: regrouped(call.array(name)) for name in scale_names(call)}
    return call.given(**fitting).said(group_size=group)


def other_bits(call: Call) -> Call:
    """Say bits that the mode lacks, 7 or 6, with as many words as would hold them."""
    own = int(call.invocation.named["bits"])
    bits = 7 if call.mode == "affine" else 6
    w = call.array("w")
    words = w.shape[-1] * bits // own
    fitting = np.resize(w, (*w.shape[:-1], words))
    return call.given(w=fitting).said(bits=bits)


def signed_codes(call: Call) -> Call:
    """Hand the codes over as signed words."""
    return call.given(w=call.array("w").view(np.int32))


def wider_scales(call: Call) -> Call:
    """Hand over a scale, and a bias, too many a row."""
    return call.given(**{name: grown(call.array(name), -1) for name in scale_names(call)})


def other_scales(call: Call) -> Call:
    """Hand scales over in a format that the mode lacks."""
    dtype = np.int32 if call.mode == "affine" else np.float32
    return call.given(**{name: call.array(name).astype(dtype) for name in scale_names(call)})


def with_biases(call: Call) -> Call:
    """Hand over biases where the mode has none."""
    return call.added("biases", np.zeros(call.array("scales").shape, np.float32))


def without_biases(call: Call) -> Call:
    """Leave the biases out."""
    return call.without("biases")


def of_weights(op: str, affine: Texts, floating: Texts) -> Iterator[Flaw]:
    """Yield the flaws of packed weights, whatever is made of them."""
    every = (*affine, *floating)
    yield Flaw("mode", op, MODE, ("mode",), every[:1], saying(mode="int4"))
    yield Flaw("codes", op, CODES, TYPES, every[:1], signed_codes)
    yield Flaw("scales-shape", op, FITTING, SHAPES, every, wider_scales)
    yield Flaw("scales-dtype", op, SCALES, TYPES, every, other_scales)
    # dequantize unpacks affine weights of any number of bits, and rightly.
    some, modes = (floating, FLOATING) if op == "dequantize" else (every, {})
    yield Flaw("bits", op, BITS, ("bit",), some, other_bits, modes)
    yield Flaw("group", op, GROUP, ("group",), some, other_group, modes)
    if affine:
        yield Flaw("biases-shape", op, ALIKE, SHAPES, affine, longer("biases", -1), AFFINE)
        yield Flaw("no-biases", op, NEEDED, ("bias",), affine, without_biases, AFFINE)
        yield Flaw("biases", op, UNWANTED, ("bias",), floating, with_biases, FLOATING)


def _texts(head: str, more: str = "") -> tuple[Texts, Texts]:
    return (f"{head}{more}",), tuple(f"{head} mode={mode}{more}" for mode in _FLOATING)


MATMUL: Final = _texts("quantized_matmul-f32-nt-4x8x64")
GATHERED: Final = _texts("gather_qmm-f32-nt-4x8x64-b3:4", " by=both")
QQMM: Final = tuple(f"qqmm-f32-nt-1x8x64{mode}" for mode in ("", " mode=mxfp4", " mode=mxfp8"))


FLAWS: Final = (
    *of_weights("quantized_matmul", *MATMUL),
    Flaw("inner", "quantized_matmul", INNER, SHAPES, MATMUL[0], longer("a", -1)),
    Flaw(
        "batches",
        "quantized_matmul",
        "batches of 2 and of 3 do not broadcast",
        SHAPES,
        MATMUL[0],
        unlike("a", "w", "scales", "biases"),
        AFFINE,
    ),
    Flaw(
        "no-bits",
        "quantized_matmul",
        "a code has a bit at the least: `dequantize` says so",
        ("bits",),
        MATMUL[0],
        saying(bits=0),
    ),
    *of_weights("gather_qmm", *GATHERED),
    Flaw("inner", "gather_qmm", INNER, SHAPES, GATHERED[0], longer("a", -1)),
    float_indices("gather_qmm", GATHERED[0]),
    unlike_indices("gather_qmm", GATHERED[0]),
    # Weights that are handed over as numbers have no codes or scales to spoil.
    *(replace(one, needs={"given": ("packed",)}) for one in of_weights("qqmm", (), QQMM)),
    Flaw("inner", "qqmm", INNER, SHAPES, QQMM[:1], longer("a", -1)),
)
