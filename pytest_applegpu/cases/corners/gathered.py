"""Which hard spots has `gather_mm`? Experts that nobody or everybody asks for, and lone rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, product

from pytest_applegpu.forms.gathered import ORDERS
from pytest_applegpu.problem import TRANSPOSES

SMALL = ("33x34x35", "1x34x35", "5x7x129")


def lines() -> Iterator[str]:
    """Yield the corner cases, the telling ones first."""
    yield from empty("nn-3x4x5", "nn-3x4x0", "nn-0x4x5", "nn-3x0x5")
    yield from _stacks()
    yield from _rows()
    yield from _aligned()
    yield from _long()
    yield from _special()
    yield from _repeated()


def empty(usual: str, *sizes: str) -> Iterator[str]:
    """Yield cases in which nothing is picked, from one matrix or many, and empty matrices."""
    yield f"{usual}-b4:8 by=both picks=0"
    yield f"{usual}-b0:3"
    yield f"{usual}-b3:0 by=lhs"
    for size in sizes:
        yield f"{size}-b4:3"
        yield f"{size}-b4:3 by=both picks=5"


def _stacks() -> Iterator[str]:
    """Stacks of one, indices of every order, and either or both operands picked from."""
    turn = cycle(TRANSPOSES)
    for order, size in product(ORDERS, SMALL):
        yield f"{next(turn)}-{size}-b16:5 order={order}"
        yield f"{next(turn)}-{size}-b5:16 by=lhs order={order}"
        yield f"{next(turn)}-{size}-b4:7 by=both picks=6 order={order}"
    for size in SMALL:
        yield f"{next(turn)}-{size}-b8:1"
        yield f"{next(turn)}-{size}-b1:8"
        yield f"{next(turn)}-{size}-b1:1 by=both picks=5"
        yield f"{next(turn)}-{size}-b1:8 by=lhs"
        yield f"{next(turn)}-{size}-b2x3:2x4"
        yield f"{next(turn)}-{size}-b2x2:3x2 by=lhs"
        yield f"{next(turn)}-{size}-b1:1 by=both picks=1"


def _rows() -> Iterator[str]:
    """Many lone rows that are sorted by expert take a kernel of their own."""
    for order, transpose in product(ORDERS, ("nn", "nt")):
        yield f"{transpose}-1x64x128-b100:8 order={order}"
        yield f"{transpose}-1x65x33-b40:30 order={order}"
    for m in (1, 2, 3, 4, 8, 16):
        yield f"nt-{m}x40x64-b24:4 order=sorted"


def _aligned() -> Iterator[str]:
    for transpose in TRANSPOSES:
        yield f"{transpose}-64x64x64-b4:3"
        yield f"{transpose}-64x64x64-b4:3 order=sorted"
        yield f"{transpose}-64x96x32-b3:4 by=both picks=7 fill=normal"
    yield "nt-1x128x256-b300:4 order=sorted fill=normal"


def _long() -> Iterator[str]:
    for transpose in ("nn", "nt"):
        yield f"{transpose}-1x16x4096-b6:2 order=sorted"
        yield f"{transpose}-17x16x2049-b3:2 fill=normal"
        yield f"{transpose}-5x9x4096-b3:2 fill=cancel"


def _special() -> Iterator[str]:
    for size, transpose in product(("33x34x35", "64x64x64", "5x7x128"), ("nn", "nt")):
        yield f"{transpose}-{size}-b5:3 fill=special"
        yield f"{transpose}-{size}-b5:3 by=both picks=4 fill=special order=sorted"


def _repeated() -> Iterator[str]:
    yield "nt-1x64x128-b40:4 order=sorted check=repeat"
    yield "nn-17x33x65-b6:4 check=repeat"
