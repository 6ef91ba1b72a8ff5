"""Which hard spots have `conv1d` and `conv2d`? One tap, padding, odd channels, views."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

_LAYOUTS = ("pad:1", "rows:2", "off:1", "step", "neg", "axis", "heads")


def lines_1d() -> Iterator[str]:
    """Yield the corner cases of `conv1d`: M places, N channels from K = taps * channels."""
    for size, taps in product(("30x16x24", "129x7x12", "1x5x48"), (1, 2, 3, 4)):
        yield f"nt-{size}-b2 taps={taps}"
        yield f"nt-{size}-b2 taps={taps} fill=normal"
    for size in ("31x16x15", "64x64x192", "7x1x3"):
        yield f"nt-{size}-b1 pad=1"
        yield f"nt-{size}-b3 pad=1 fill=uniform"
    for layout, side in product(_LAYOUTS, ("input", "weight")):
        yield f"nt-30x16x24-b2 {side}={layout}"
    yield "nt-30x16x24-b2 fill=special"


def lines_2d() -> Iterator[str]:
    """Yield the corner cases of `conv2d`."""
    for size, taps in product(("35x16x36", "64x32x144", "128x3x1296"), (1, 2, 3)):
        width = 7 if size.startswith("35") else 8
        yield f"nt-{size}-b2 taps={taps} width={width}"
        yield f"nt-{size}-b1 taps={taps} width={width} pad={taps // 2} fill=normal"
    yield "nt-64x16x75-b1 taps=5 pad=2"
    for layout, side in product(_LAYOUTS, ("input", "weight")):
        yield f"nt-64x16x72-b2 {side}={layout}"
    yield "nt-64x16x72-b4 input=bc"
    yield "nt-35x16x72-b2 width=7 fill=special"
