"""Which hard spots has `quantized_matmul`? Every format, few columns, and tails of every block."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, product
from typing import Final

from pytest_applegpu.cases.packed import FORMATS, words_of

UNUSUAL: Final = ("bits=3", "bits=5 group=32", "mode=mxfp4", "mode=mxfp8", "mode=nvfp4")


def lines() -> Iterator[str]:
    """Yield the corner cases, the telling ones first."""
    yield from _empty()
    yield from _formats()
    yield from _narrow()
    yield from _rows()
    yield from _sums()
    yield from _batches()
    yield from _special()
    yield "nt-5x32x512 check=repeat"
    yield "nn-33x128x64 mode=mxfp8 check=repeat"


def _empty() -> Iterator[str]:
    for form in ("", "mode=mxfp4", "mode=nvfp4"):
        for size in ("nt-0x32x128", "nt-5x0x128", "nt-5x32x0", "nn-0x128x32", "nn-5x128x0"):
            yield f"{size} {form}"
        yield f"nt-5x32x128-b0 {form}"


def _formats() -> Iterator[str]:
    """Every mode, group and number of bits, packed along K and along N."""
    rows = cycle((1, 5, 2, 33, 8, 17))
    for form in FORMATS:
        words = words_of(form)
        yield f"nt-{next(rows)}x40x512 {words}"
        yield f"nn-{next(rows)}x128x65 {words}"
        yield f"nt-{next(rows)}x33x384 {words} fill=normal"
        yield f"nn-{next(rows)}x384x40 {words} fill=normal"


def _narrow() -> Iterator[str]:
    """Fewer than eight columns, and columns off a block."""
    forms = cycle(UNUSUAL)
    for n in (*range(1, 9), 33, 40, 63, 65):
        yield f"nt-1x{n}x128"
        yield f"nt-{4 if n % 2 else 3}x{n}x256 {next(forms)}"
    for k in (16, 48, 80, 528, 1040):
        yield f"nt-3x24x{k} mode=nvfp4"
    for k in (32, 96, 544, 1056):
        yield f"nt-3x24x{k} mode=mxfp4"
        yield f"nt-2x24x{k} group=32"
    for n in (32, 96, 160):
        yield f"nn-3x{n}x33 group=32"


def _rows() -> Iterator[str]:
    """Rows on both sides of where products of matrices begin."""
    for m in (1, 2, 3, 4, 6, 7, 9, 10, 11, 12, 13, 15, 16, 18, 31, 32, 33, 64):
        yield f"nt-{m}x64x128" + ("" if m % 2 else " bits=8")
    for m in (1, 4, 5, 16, 33):
        yield f"nn-{m}x64x128"
    yield "nt-3x128x128"


def _sums() -> Iterator[str]:
    """Long sums, which a narrow accumulator loses."""
    for k, m in product((1024, 8192), (1, 4)):
        yield f"nt-{m}x16x{k} fill=uniform"
        yield f"nn-{m}x64x{k} fill=uniform"
        yield f"nt-{m}x16x{k} fill=normal bits=8"
        yield f"nt-{m}x16x{k} mode=mxfp4"
    for k in (1023, 1025):
        yield f"nn-3x64x{k}"
    yield "nn-2x64x1040 fill=normal"


def _batches() -> Iterator[str]:
    """Batched weights and rows: results of one must not fall on those of another."""
    for batch, form in product(("b3", "b2x3", "b3:_", "b_:3", "b2x1:1x3"), ("", "mode=mxfp8")):
        yield f"nt-5x40x128-{batch} {form}"
        yield f"nn-1x64x96-{batch} {form}"


def _special() -> Iterator[str]:
    for form in ("", "bits=8", "mode=mxfp4", "mode=mxfp8", "mode=nvfp4"):
        yield f"nt-5x33x128 {form} fill=special"
        yield f"nn-33x64x96 {form} fill=special"
