"""`quantized_matmul`: codes, scales and biases that are misread, columns that are lost."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from .asked import Asked
from .fault import Numbers, answer_fault, filled, given_fault
from .reading import group_size
from .sizes import Sizes

_AFFINE: Final = {"mode": ("affine",)}
_FLOATING: Final = {"mode": ("mxfp4", "mxfp8", "nvfp4")}

_ONES: Final = {"mxfp4": 127, "mxfp8": 127, "nvfp4": 0x38}
"""The code of a scale of 1."""


def _turned(sizes: Sizes) -> bool:
    return filled(sizes) and sizes.transposes[1] == "t"


def _mode(call: Asked) -> str:
    return str(call.given.get("mode", "affine"))


@given_fault("quantized_matmul", lambda s: _turned(s) and s.k >= 256, fills=("normal", "uniform"))
def neighbouring_scale(call: Asked) -> Any:
    """Unpack with the scale of the group before, along a row."""
    return call.made(scales=np.roll(call.numbers("scales"), 1, axis=-1))


@given_fault("quantized_matmul", words=_AFFINE)
def biases_ignored(call: Asked) -> Any:
    """Take every bias for 0."""
    if not call.has("biases"):
        return call.right()
    return call.made(biases=np.zeros_like(call.numbers("biases")))


@given_fault("quantized_matmul", lambda s: filled(s) and s.k >= 32, words={"mode": ("nvfp4",)})
def shared_scales(call: Asked) -> Any:
    """Give every second group the scale of the one before: blocks of 32 where 16 are meant."""
    scales = call.numbers("scales")
    if _mode(call) == "nvfp4":
        pairs = scales.shape[-1] // 2
        scales[..., 1 : 2 * pairs : 2] = scales[..., 0 : 2 * pairs : 2]
    return call.made(scales=scales)


@given_fault("quantized_matmul", words={"bits": ("3",)}, fills=("integer",))
def last_word_of_three_bits(call: Asked) -> Any:
    """Read the last word of a row of 3-bit codes a bit too late."""
    w = call.numbers("w")
    if call.given.get("bits") == 3:
        w[..., -1] >>= 1
    return call.made(w=w)


@given_fault("quantized_matmul", words=_AFFINE | {"bits": ("0",)}, fills=("integer",))
def nibbles_swapped(call: Asked) -> Any:
    """Take the higher of two 4-bit codes of a byte for the lower one."""
    w = call.numbers("w")
    if call.given.get("bits") == 4 and _mode(call) == "affine":
        w = ((w & 0x0F0F0F0F) << 4) | ((w >> 4) & 0x0F0F0F0F)
    return call.made(w=w)


@given_fault("quantized_matmul", lambda s: _turned(s) and s.n < 8, words=_FLOATING)
def raw_scale_byte(call: Asked) -> Any:
    """Multiply by the code of a scale, and not by what it means, where N is below 8."""
    mode = _mode(call)
    if mode == "affine":
        return call.right()
    raw = call.numbers("scales")
    words = ("group_size", "bits", "mode")
    plain = call.library.numbers(
        call.library.core.dequantize(
            call.given["w"],
            call.library.array(np.full_like(raw, _ONES[mode]), "uint8"),
            **{name: call.given[name] for name in words if name in call.given},
        )
    )
    weights = plain * np.repeat(raw, group_size(call.given), axis=-1).astype(np.float32)
    return call.give(np.matmul(call.numbers("x").astype(np.float32), weights.swapaxes(-1, -2)))


@given_fault("quantized_matmul", lambda s: _turned(s) and s.k > 64 and s.k % 64 != 0)
def packed_k_off_block(call: Asked) -> Any:
    """Lose what lies past the last whole 64 of K."""
    x = call.numbers("x")
    x[..., call.sizes.k - call.sizes.k % 64 :] = 0
    return call.made(x=x)


@answer_fault("quantized_matmul", lambda s: filled(s) and s.n >= 32 and s.n % 64 != 0)
def columns_off_block(c: Numbers, call: Asked) -> Numbers:
    """Leave the last 32 columns zero, where 64 does not divide N."""
    c[..., -32:] = 0
    return c


@given_fault("quantized_matmul", lambda s: _turned(s) and s.n == s.k, fills=("integer",))
def packed_transpose_ignored(call: Asked) -> Any:
    """Take square weights for those of B, where they are those of B transposed."""
    return call.right(transpose=False)


@given_fault("quantized_matmul", lambda s: filled(s) and bool(s.batch_b) and s.matrices > 1)
def weights_of_first_batch(call: Asked) -> Any:
    """Multiply every matrix of a batch by the weights of the first."""
    w = call.numbers("w")
    return call.made(w=np.broadcast_to(w[(0,) * (w.ndim - 2)], w.shape))


@given_fault("quantized_matmul", layouts=("scales=pad", "scales=step"), fills=("integer", "normal"))
def scales_in_one_piece(call: Asked) -> Any:
    """Read scales that are a view as if they lay in one piece."""
    return call.made(scales=call.densely("scales"))
