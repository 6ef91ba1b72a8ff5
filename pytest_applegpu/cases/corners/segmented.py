"""Which hard spots has `segmented_mm`? Segments without a K, overlapping ones, and none at all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from pytest_applegpu.forms.segmented import CUTS
from pytest_applegpu.problem import TRANSPOSES


def lines() -> Iterator[str]:
    """Yield the corner cases, the telling ones first."""
    for size in ("3x4x0", "0x4x5", "3x0x5", "0x0x0"):
        yield f"nn-{size}"
        yield f"nt-{size} cut=empty parts=3"
    yield "nn-3x4x5 parts=0"
    yield "nn-3x4x64 parts=16 cut=empty"
    yield from _cuts()
    yield from _sizes()
    for size, transpose in product(("33x34x350", "5x7x64"), ("nn", "nt")):
        yield f"{transpose}-{size} cut=even fill=special"
    yield "nt-33x34x350 cut=even check=repeat"


def _cuts() -> Iterator[str]:
    """Every cut, in every transpose: a segment keeps the leading dimension of the whole."""
    for cut, transpose in product(CUTS, TRANSPOSES):
        yield f"{transpose}-33x34x350 cut={cut} parts=7"
        yield f"{transpose}-64x64x256 cut={cut}"
        yield f"{transpose}-17x40x129 cut={cut} parts=3 fill=normal"
    for transpose in TRANSPOSES:
        yield f"{transpose}-33x34x35 parts=1 cut=even"
        yield f"{transpose}-33x34x40 parts=40 cut=even fill=normal"


def _sizes() -> Iterator[str]:
    for size, transpose in product(("1x64x128", "64x1x128", "1x1x129", "5x129x33"), ("nn", "tt")):
        yield f"{transpose}-{size}"
        yield f"{transpose}-{size} cut=overlap"
    for transpose in ("nn", "nt"):
        yield f"{transpose}-16x17x4096 cut=even"
        yield f"{transpose}-130x120x300 cut=overlap fill=normal"
