"""`quantize`, `dequantize` and `qqmm`: codes and scales that do not belong together."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from .asked import Asked
from .fault import Numbers, answer_fault, filled, given_fault
from .sizes import Sizes

_AFFINE: Final = {"mode": ("affine",)}


def _long(sizes: Sizes) -> bool:
    return filled(sizes) and sizes.k >= 128


def _packed(call: Asked, **spoilt: Any) -> Any:
    """Return what `quantize` gives, with some of its arrays spoilt by functions of numbers."""
    names = ("codes", "scales", "biases")
    library = call.library
    found = [
        library.array(spoilt[name](library.numbers(one)), library.format(one))
        if name in spoilt
        else one
        for name, one in zip(names, call.right(), strict=False)
    ]
    return tuple(found)


def _pairs(scales: Numbers) -> Numbers:
    """Give every second group the scale of the one before."""
    pairs = scales.shape[-1] // 2
    scales[..., 1 : 2 * pairs : 2] = scales[..., 0 : 2 * pairs : 2]
    return scales


@given_fault("quantize", _long, fills=("normal",))
def maximum_of_two_groups(call: Asked) -> Any:
    """Share a scale between two groups."""
    return _packed(call, scales=_pairs)


@given_fault("quantize", _long, fills=("normal",))
def last_code_flipped(call: Asked) -> Any:
    """Flip the highest bit of the last code of every row."""

    def moved(codes: Numbers) -> Numbers:
        codes[..., -1] ^= np.uint32(1 << 31)
        return codes

    return _packed(call, codes=moved)


@given_fault("quantize", _long, layouts=("w=pad", "w=step"), fills=("normal",))
def weights_in_one_piece(call: Asked) -> Any:
    """Pack weights that are a view as if they lay in one piece."""
    return call.made(w=np.nan_to_num(call.densely("w")))


@given_fault("dequantize", _long, fills=("normal",))
def unpacked_with_a_neighbour(call: Asked) -> Any:
    """Unpack with the scale of the group before."""
    return call.made(scales=np.roll(call.numbers("scales"), 1, axis=-1))


@given_fault("dequantize", words=_AFFINE)
def unpacked_without_biases(call: Asked) -> Any:
    """Take every bias for 0."""
    if not call.has("biases"):
        return call.right()
    return call.made(biases=np.zeros_like(call.numbers("biases")))


@answer_fault("dequantize", _long)
def last_word_unwritten(c: Numbers, call: Asked) -> Numbers:
    """Leave the last four weights of a row zero."""
    c[..., -4:] = 0
    return c


@answer_fault("qqmm", lambda s: filled(s) and s.n % 2 == 0)
def first_half_repeated(c: Numbers, call: Asked) -> Numbers:
    """Give the second half of the columns the first one's numbers, where N is even."""
    half = call.sizes.n // 2
    c[..., half:] = c[..., :half]
    return c


@given_fault("qqmm", fills=("normal",))
def left_rounded_first(call: Asked) -> Any:
    """Round A to halves before it is packed."""
    x = call.numbers("x").astype(np.float32)
    return call.made(x=np.ldexp(np.round(np.ldexp(x, 1)), -1))
