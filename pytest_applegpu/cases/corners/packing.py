"""Which hard spots have `quantize`, `dequantize` and `qqmm`? Every mode, odd groups, views."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

_AFFINE = tuple(
    f"bits={bits} group={group}" for bits, group in product((2, 3, 4, 5, 6, 8), (32, 64, 128))
)
_ONE_BIT = tuple(f"bits=1 group={group}" for group in (32, 64, 128))
"""Never packed here: one bit rounds each weight to an end of its group, and proves little."""

_FLOATING = ("mode=mxfp4", "mode=mxfp8", "mode=nvfp4")


def quantize_lines() -> Iterator[str]:
    """Yield the corner cases of `quantize`: N rows of K weights."""
    for words in (*_AFFINE, *_FLOATING):
        yield f"nt-1x16x256 {words}"
        yield f"nt-1x7x128-b3 {words} fill=normal"
    for layout, words in product(("pad:8", "step", "neg", "off:1", "rows:1"), ("", *_FLOATING)):
        yield f"nt-1x9x128 w={layout} {words} fill=normal"
    yield "nt-1x3x48 mode=nvfp4"


def dequantize_lines() -> Iterator[str]:
    """Yield the corner cases of `dequantize`."""
    for words in (*_AFFINE, *_ONE_BIT, *_FLOATING):
        yield f"nt-1x16x256 {words}"
        yield f"nt-1x7x128-b3 {words} fill=normal"
    for layout, words in product(("pad:1", "step", "neg", "off:1", "rows:1"), ("", *_FLOATING)):
        yield f"nt-1x9x128 scales={layout} {words}"
        yield f"nt-1x9x128 w={layout} {words} fill=normal"
    yield "nt-1x3x48 mode=nvfp4"


def qqmm_lines() -> Iterator[str]:
    """Yield the corner cases of `qqmm`: one row and more, packed weights and plain ones."""
    for words, rows in product(_FLOATING, (1, 2, 17, 33)):
        yield f"nt-{rows}x32x128 {words}"
        yield f"nt-{rows}x48x512 {words} fill=normal"
        yield f"nt-{rows}x32x128 {words} given=plain"
    for words, layout in product(_FLOATING, ("pad:1", "step", "neg", "off:1", "rows:1")):
        yield f"nt-1x32x128 {words} a={layout}"
        yield f"nt-1x32x128 {words} scales={layout} fill=normal"
