"""Which hard spots has `block_masked_mm`? Blocks that sizes do not fill, masks of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, product

from pytest_applegpu.forms.masked import BLOCK_MASKED_MM
from pytest_applegpu.problem import TRANSPOSES

_MASKS = BLOCK_MASKED_MM.params["masks"].values
_SIZES = ("130x70x200", "65x63x33", "64x128x192", "31x97x64", "33x34x35")


def lines() -> Iterator[str]:
    """Yield the corner cases, the telling ones first."""
    yield from _empty()
    yield from _masks()
    yield from _batches()
    yield from _vectors()
    yield from _long()
    yield from _special()
    yield "nt-130x70x200 check=repeat"
    yield "nn-65x63x129-b3 kind=float block=32 check=repeat"


def _empty() -> Iterator[str]:
    for size in ("0x4x5", "4x0x5", "4x5x0", "0x0x0", "3x4x5-b0"):
        yield f"nn-{size}"
    yield "nn-4x5x0 masks=o kind=float"
    yield "nn-70x5x0 masks=lr block=32"


def _masks() -> Iterator[str]:
    """Every set of masks, of truth values and of numbers, in blocks of both sizes."""
    turn, sizes = cycle(TRANSPOSES), cycle(_SIZES)
    for masks, kind, block in product(_MASKS, ("bool", "float"), (32, 64)):
        yield f"{next(turn)}-{next(sizes)} masks={masks} kind={kind} block={block}"
    for size, kind in product(_SIZES, ("bool", "float")):
        yield f"{next(turn)}-{size} kind={kind} fill=normal"


def _batches() -> Iterator[str]:
    """Masks of one matrix for a whole batch, and operands that broadcast."""
    turn = cycle(TRANSPOSES)
    batches = ("b3", "b2x3", "b2x1:1x3", "b4:_", "_:b3")
    for batch, over, kind in product(batches, ("each", "all"), ("bool", "float")):
        text = batch.replace("_:b", "b_:")
        yield f"{next(turn)}-70x65x100-{text} over={over} kind={kind}"


def _vectors() -> Iterator[str]:
    """One row or one column takes the kernel of a masked vector."""
    for size, transpose in product(("1x130x200", "130x1x200", "1x1x129", "1x64x64"), ("nn", "nt")):
        yield f"{transpose}-{size}"
        yield f"{transpose}-{size} kind=float block=32 fill=normal"


def _long() -> Iterator[str]:
    for transpose in TRANSPOSES:
        yield f"{transpose}-33x65x2049 masks=lr"
        yield f"{transpose}-40x33x1024 fill=normal"


def _special() -> Iterator[str]:
    """NaN and Inf in blocks that a mask of truth values hides have to stay hidden."""
    for masks, block in product(_MASKS, (32, 64)):
        yield f"nt-130x70x200 masks={masks} block={block} fill=special"
    yield "nn-70x65x100-b3 over=all fill=special"
    yield "nn-1x130x200 fill=special"
