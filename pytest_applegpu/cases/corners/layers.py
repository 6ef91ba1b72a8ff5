"""Which hard spots have layers? One row and many, a bias or none, parameters that are views."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, product

from pytest_applegpu.cases.packed import FORMATS, words_of
from pytest_applegpu.problem import TRANSPOSES

_BIAS = ("", " bias=no")

_VIEWS = ("pad:1", "pad:8", "off:1", "rows:3", "step", "neg")


def linear_lines() -> Iterator[str]:
    """Yield the corner cases of `linear`, the telling ones first."""
    for size, bias in product(("0x4x5", "4x0x5", "3x4x5-b0:_"), _BIAS):
        yield f"nt-{size}{bias}"
    for size, bias in product(("1x64x128", "9x33x64-b2:_", "33x34x35-b2x3:_"), _BIAS):
        yield f"nt-{size}{bias}"
        yield f"nt-{size}{bias} fill=normal"
    for transpose, bias in zip(TRANSPOSES, cycle(_BIAS), strict=False):
        yield f"{transpose}-64x64x64{bias}"
        yield f"{transpose}-1x65x129-b3:_{bias}"
        yield f"{transpose}-128x128x512{bias} fill=normal"
    for size in ("1x512x1023", "18x33x2048", "5x1x129", "1x1x1"):
        yield f"nt-{size}"
    for layout in _VIEWS:
        yield f"nt-9x33x64-b2:_ a={layout}"
        yield f"nt-9x33x64 b={layout} fill=normal"
        yield f"nt-1x33x64 b={layout}"
        yield f"nt-9x33x64-b2:_ c={layout} fill=normal"
    yield "nt-1x33x64 a=vec"
    yield "nt-1x33x64 a=vec bias=no fill=normal"
    yield "nt-9x33x64-b2x3:_ a=heads"
    yield "nt-33x34x35 fill=special"
    yield "nt-1x64x128 bias=no fill=special"
    yield "nt-33x34x64-b2:_ check=repeat"


def quantized_linear_lines() -> Iterator[str]:
    """Yield the corner cases of `quantized_linear`, the telling ones first."""
    for size in ("0x32x128", "5x32x128-b0:_"):
        yield f"nt-{size}"
    turns = zip(FORMATS, cycle((1, 5, 17)), cycle(_BIAS), strict=False)
    for form, rows, bias in turns:
        words = words_of(form)
        yield f"nt-{rows}x40x256 {words}{bias}".rstrip()
        yield f"nt-{rows}x33x384 {words}{bias} fill=normal"
    for size in ("1x64x128-b3:_", "9x33x128-b2:_", "33x64x512-b1:_"):
        yield f"nt-{size}"
        yield f"nt-{size} fill=normal"
    for layout in ("pad:8", "step", "neg", "off:1"):
        yield f"nt-9x40x128-b2:_ a={layout}"
        yield f"nt-1x40x128 w={layout} fill=normal"
        yield f"nt-5x40x128 c={layout}"
    yield "nt-5x33x128 fill=special"
    yield "nt-9x40x128-b2:_ check=repeat"


def multi_head_attention_lines() -> Iterator[str]:
    """Yield the corner cases of `multi_head_attention`, the telling ones first."""
    masks = ("", " mask=causal", " mask=bool", " mask=add over=heads")
    for mask, heads in product(masks, ("", " heads=1", " heads=8")):
        yield f"nt-9x33x64-b2{heads}{mask} bias=yes"
    for size in ("1x33x64-b2", "33x33x96-b1", "1x129x128-b3"):
        yield f"nt-{size}"
        yield f"nt-{size} bias=yes mask=causal fill=normal"
    yield "nt-9x1x64-b1"
    for mask in ("mask=bool over=row", "mask=add", "mask=causal"):
        yield f"nt-9x33x64-b2 {mask} fill=normal"
    for name in ("q", "k", "v"):
        for layout in ("pad:8", "heads", "step", "neg"):
            yield f"nt-9x33x64-b2 {name}={layout}"
    for name in ("wq", "wk", "wv", "wo"):
        yield f"nt-9x33x64-b1 {name}=pad:8"
        yield f"nt-1x33x64-b1 {name}=step fill=normal"
    yield "nt-9x33x64-b2 bias=yes bo=step"
    yield "nt-0x33x64-b2"
    yield "nt-9x33x64-b0"
    yield "nt-9x33x64-b2 mask=causal fill=special"
    yield "nt-9x33x64-b2 mask=causal check=repeat"
