"""Which hard spots has `addmm`? Sums without a product, factors of 0, addends of every shape."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, product

from pytest_applegpu.forms.dense import ADDENDS, SCALES
from pytest_applegpu.problem import TRANSPOSES


def lines() -> Iterator[str]:
    """Yield the corner cases, the telling ones first."""
    yield from _empty()
    yield from _factors()
    yield from _addends()
    yield from _vectors()
    yield from _aligned()
    yield from _long()
    yield from _special()
    yield from _repeated()


def _empty() -> Iterator[str]:
    """Without a K the result is beta C, and without an output there is none."""
    for sizes in ("0x4x5", "4x0x5", "4x5x0", "0x0x0", "1x1x0", "3x4x5-b0", "3x4x0-b2"):
        yield f"nn-{sizes}"
    for addend in ADDENDS:
        yield f"nt-4x5x0-b3 alpha=2 beta=-1 addend={addend}"
    yield "nn-4x5x0 beta=0"
    yield "nn-4x5x0 alpha=0 beta=0.5"
    yield "nn-4x0x5 addend=column beta=2"


def _factors() -> Iterator[str]:
    """Every alpha with every beta."""
    for (alpha, beta), transpose in zip(product(SCALES, SCALES), cycle(TRANSPOSES), strict=False):
        yield f"{transpose}-33x34x35 alpha={alpha} beta={beta}"


def _addends() -> Iterator[str]:
    for addend, batch in product(ADDENDS, ("", "-b3", "-b2x1:1x3", "-b3:_")):
        yield f"nt-33x34x35{batch} addend={addend} beta=-0.25"


def _vectors() -> Iterator[str]:
    """One row or column, where a product takes another kernel than its sum with an addend."""
    sizes = ("1x64x128", "64x1x128", "1x1x129", "1x513x1023", "513x1x1023", "2x512x512")
    for size, transpose in product(sizes, ("nn", "nt")):
        yield f"{transpose}-{size} alpha=0.5 beta=2"
    for addend in ADDENDS:
        yield f"nt-1x65x129 addend={addend} alpha=-1"
        yield f"nn-65x1x129 addend={addend} beta=-1"


def _aligned() -> Iterator[str]:
    for transpose in TRANSPOSES:
        yield f"{transpose}-64x64x64 beta=2"
        yield f"{transpose}-128x64x256 alpha=-0.25 addend=row"
        yield f"{transpose}-128x128x512 fill=normal alpha=2 beta=-1"
        yield f"{transpose}-64x64x32-b8 beta=0.5"
    yield "nt-512x512x512 check=projection alpha=2 beta=-1"
    yield "nt-1025x1023x17 addend=row"


def _long() -> Iterator[str]:
    """Long sums are split over K, and the addend must be added once."""
    for k in (1023, 1025, 2048):
        yield f"nt-18x33x{k} beta=-1"
    for size, transpose in product(("16x17x4096", "33x8x8192"), ("nn", "nt")):
        yield f"{transpose}-{size} alpha=0.5 beta=2"
        yield f"{transpose}-{size} fill=normal alpha=0.5 addend=column"
        yield f"{transpose}-{size} fill=uniform beta=-1"


def _special() -> Iterator[str]:
    for size, transpose in product(("33x34x35", "64x64x64", "1x64x128", "64x1x128"), ("nn", "nt")):
        yield f"{transpose}-{size} fill=special alpha=0.5 beta=-1"
    yield "nn-9x17x33-b2x3 fill=special addend=row"
    yield "nn-33x34x35 fill=special beta=0"


def _repeated() -> Iterator[str]:
    for size in ("64x64x64", "1x512x512", "31x33x64-b5"):
        yield f"nt-{size} check=repeat alpha=2 beta=-1"
