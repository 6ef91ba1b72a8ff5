"""Which hard spots has `gather_qmm`? Those of picking, with every kind of packed weights."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, product

from pytest_applegpu.cases.corners.gathered import empty
from pytest_applegpu.cases.corners.quantized import UNUSUAL
from pytest_applegpu.cases.packed import FORMATS, words_of
from pytest_applegpu.forms.gathered import ORDERS


def lines() -> Iterator[str]:
    """Yield the corner cases, the telling ones first."""
    yield from empty("nt-3x8x64", "nt-3x8x0", "nt-0x8x64", "nt-3x0x64", "nn-3x64x0")
    yield from _formats()
    yield from _stacks()
    yield from _rows()
    yield from _special()
    yield "nt-1x64x128-b40:4 order=sorted check=repeat"
    yield "nt-3x40x128-b6:4 mode=mxfp4 check=repeat"


def _formats() -> Iterator[str]:
    orders, rows = cycle(ORDERS), cycle((1, 3, 33))
    for form in FORMATS:
        words = words_of(form)
        yield f"nt-{next(rows)}x33x256-b9:4 order={next(orders)} {words}"
        yield f"nn-{next(rows)}x128x40-b5:3 order={next(orders)} {words}"


def _stacks() -> Iterator[str]:
    """Stacks of one, and either or both operands picked from."""
    forms = cycle(("", *UNUSUAL))
    for m, transpose in product((1, 2, 33), ("nt", "nn")):
        size = f"{transpose}-{m}x64x128"
        yield f"{size}-b8:1 {next(forms)}"
        yield f"{size}-b1:8 {next(forms)}"
        yield f"{size}-b1:8 by=lhs {next(forms)}"
        yield f"{size}-b1:1 by=both picks=5 {next(forms)}"
        yield f"{size}-b4:7 by=both picks=6 {next(forms)}"
        yield f"{size}-b2x3:2x4 {next(forms)}"
        yield f"{size}-b5:4 order=sorted fill=normal {next(forms)}"


def _rows() -> Iterator[str]:
    """Many lone rows sorted by expert, with K off the block of 64."""
    for k, form in product((64, 96, 160), ("group=32", "mode=mxfp4", "mode=nvfp4")):
        yield f"nt-1x40x{k}-b80:5 order=sorted {form}"
    for order in ORDERS:
        yield f"nt-1x64x128-b100:8 order={order}"
        yield f"nn-1x64x128-b40:30 order={order}"
    for n in range(1, 8):
        yield f"nt-{1 + n % 2}x{n}x128-b6:3 order=sorted"


def _special() -> Iterator[str]:
    for form in ("", "mode=mxfp4", "mode=nvfp4"):
        yield f"nt-5x33x128-b5:3 {form} fill=special"
        yield f"nn-3x64x96-b5:3 order=sorted {form} fill=special"
