"""Which hard spots has `sdpa`? Masks of every shape, shared heads, one query, long keys, sinks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

_HEADS = ("-b1x4", "-b2x4:2x2", "-b1x4:1x1")
"""Heads of their own, shared by two, and one for all."""

_MASKS = (
    "mask=causal",
    *(
        f"mask={kind} over={over}"
        for kind in ("bool", "add")
        for over in ("heads", "matrix", "row")
    ),
    "mask=bool",
    "mask=add",
)


def lines() -> Iterator[str]:
    """Yield the corner cases, the telling ones first."""
    for size in ("0x9x64", "9x0x64", "9x16x0", "1x1x64"):
        yield f"nt-{size}-b1x4"
    yield from _masks()
    yield from _dark()
    yield from _decode()
    yield from _sizes()
    yield from _layouts()
    for heads in _HEADS:
        yield f"nt-9x33x64{heads} fill=special"
        yield f"nt-1x33x64{heads} mask=causal fill=special"
    yield "nt-17x33x64-b1x4 check=repeat"


def _masks() -> Iterator[str]:
    """Every mask, over every way to share heads; both orders of lengths."""
    for mask, heads in product(("", *_MASKS), _HEADS):
        yield f"nt-9x33x64{heads} {mask}".strip()
        yield f"nt-9x33x64{heads} {mask} fill=normal"
    for size in ("33x9x64", "9x9x64", "70x130x64", "8x1030x64"):
        yield f"nt-{size}-b1x4:1x2 mask=causal"
        yield f"nt-{size}-b1x4:1x2 mask=causal fill=normal"
    for mask in ("", "mask=causal", "mask=bool"):
        yield f"nt-9x33x64-b1x4 sinks=yes {mask}".strip()
        yield f"nt-9x33x64-b2x4:2x2 sinks=yes {mask} fill=normal"


def _dark() -> Iterator[str]:
    """Queries that see no key."""
    for over in ("full", "heads", "matrix", "row"):
        yield f"nt-9x33x64-b2x4:2x2 mask=bool over={over} hide=rows fill=normal"
    for words in ("mask=bool sinks=yes", "mask=add", "mask=add sinks=yes", "mask=bool"):
        yield f"nt-9x32x64-b1x4 hide=rows {words}"


def _decode() -> Iterator[str]:
    """One query, and a few, over keys beyond where kernels cut them in parts."""
    for length, keys in product((1, 2, 4, 8), (128, 1025)):
        yield f"nt-{length}x{keys}x128-b1x4:1x2"
    yield "nt-1x4097x128-b1x4:1x2"
    for keys in (128, 1025):
        yield f"nt-1x{keys}x64-b2x4:2x2 mask=bool fill=normal"
        yield f"nt-1x{keys}x128-b2x4:2x2 mask=add over=row"
        yield f"nt-1x{keys}x128-b1x4:1x2 fill=ones"


def _sizes() -> Iterator[str]:
    """Sizes of heads with kernels of their own, and others; values of another size."""
    for size in (32, 64, 72, 80, 96, 100, 128, 192, 256):
        yield f"nt-33x65x{size}-b1x2"
        yield f"nt-1x65x{size}-b1x2 fill=normal"
    for size, values in ((192, 128), (64, 128), (128, 72)):
        yield f"nt-17x33x{size}-b1x2 dv={values}"
        yield f"nt-1x33x{size}-b1x2 dv={values} fill=normal"
    yield "nt-64x64x64-b1x2 fill=ones"
    yield "nt-129x257x64-b1x2 fill=uniform"
    yield "nt-129x257x64-b1x2 mask=causal fill=spread"


def _layouts() -> Iterator[str]:
    """Heads stored beside each other, as models do, cut-out caches, steps and strides of 0."""
    for size in ("9x33x64", "1x33x64", "33x130x128"):
        yield f"nt-{size}-b2x4:2x2 q=heads k=heads v=heads"
        yield f"nt-{size}-b2x4:2x2 k=rows:7 v=rows:7 mask=causal"
        yield f"nt-{size}-b2x4:2x2 k=heads v=rows:3 fill=normal"
    for layout in ("pad:1", "pad:8", "off:1", "step", "neg", "axis", "bc"):
        yield f"nt-9x33x64-b2x4:2x2 k={layout}"
        yield f"nt-9x33x64-b2x4:2x2 v={layout} fill=normal"
        if layout != "bc":
            yield f"nt-9x33x64-b2x4:2x2 q={layout}"
            yield f"nt-1x33x64-b2x4:2x2 q={layout} mask=causal"
