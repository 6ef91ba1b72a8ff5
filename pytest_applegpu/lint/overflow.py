"""Which numbers leave 32 bits, in the dispatch or in the kernels that it launches?

What a kernel computes in 32 bits is read from the kernels' public text (0.32.1): offsets to a tile
are 64 bits wide, offsets within a tile's rows, and steps along K, are products of 32-bit numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_applegpu.lint.extents import Extent
from pytest_applegpu.lint.subject import Fault, Subject, partitions
from pytest_applegpu.routing.launch import Launch

LIMIT: Final = 1 << 31

_FORMS: Final = re.compile(r"_([nt])([nt])_(?:float|bfloat|complex)")
_ROWS_OF_WEIGHTS: Final = ("qmv", "qmm_t", "gather_qmv", "gather_qmm_t")
"""Kernels that find a row of packed weights by a 32-bit product."""

_NARROW_GEMV: Final = frozenset({"0.29.3", "0.30.0", "0.30.6", "0.31.2"})

_WORDS: Final = "quad"
"""Kernels with this in their label count packed words of 32 bits, others bytes."""


def past_int32(subject: Subject) -> Iterator[Fault]:
    """Yield quantities that wrap round."""
    for launch, sizes in subject.multiplied:
        yield from (Fault(launch.label, text) for text in _wrapped(subject, launch, sizes))


def _wrapped(subject: Subject, launch: Launch, sizes: Extent) -> Iterator[str]:
    if partitions(launch) > 1 and "partition_stride" in launch.params:
        stride = sizes.m * sizes.n
        if stride >= LIMIT:
            yield f"partial results lie M * N = {stride} elements apart"
    yield from _rows_of_gemv(subject, launch, sizes)
    yield from _strips(launch, sizes)
    yield from _segments(launch, sizes)
    weights = getattr(subject.call, "weights", None)
    if weights is not None:
        yield from _weights(launch, sizes, weights.bits)


def _rows_of_gemv(subject: Subject, launch: Launch, sizes: Extent) -> Iterator[str]:
    """Yield where gemv cannot tell a row of the matrix: up to 0.31.2 a 32-bit product."""
    rows = sizes.n if sizes.n != 1 else sizes.m
    down = launch.label == "gemv_t"
    offset = (sizes.k - 1) * rows if down else (rows - 1) * sizes.k
    old = subject.target.basis.rules in _NARROW_GEMV
    if launch.label in {"gemv", "gemv_t"} and old and offset >= LIMIT:
        yield f"the last row of the matrix: {offset} elements from the first"


def _strips(launch: Launch, sizes: Extent) -> Iterator[str]:
    """Yield offsets within the rows of a tile, and steps along K, that are too large."""
    tile, forms = launch.tile, _FORMS.search(launch.kernel)
    if tile is None or forms is None:
        return
    a, b = forms.groups()
    nax = "nax" in launch.kernel
    down = tile.bm - (tile.bm // tile.wm if nax else 1)
    across = tile.bn - (tile.bn // tile.wn if nax else 1)
    lda = launch.params.get("lda", sizes.m if a == "t" else sizes.k)
    ldb = launch.params.get("ldb", sizes.k if b == "t" else sizes.n)
    yield from _strip("A", a == "t", (sizes.m, down), (sizes.k, tile.bk), lda)
    yield from _strip("B", b == "n", (sizes.n, across), (sizes.k, tile.bk), ldb)


def _strip(
    name: str, along_k: bool, side: tuple[int, int], depth: tuple[int, int], ld: int
) -> Iterator[str]:
    """`side` and `depth` are the size and what a kernel steps over at once, of M or N and of K."""
    size, step = depth if along_k else side
    if size > step and step * ld >= LIMIT:
        what = "a step along K" if along_k else "the last rows of a tile"
        yield f"{what} of {name}: {step} * {ld} elements"


def _segments(launch: Launch, sizes: Extent) -> Iterator[str]:
    """Yield where the start of a segment, an unsigned 32-bit product, cannot be told."""
    forms = _FORMS.search(launch.kernel)
    if forms is None or not launch.label.startswith("segmented"):
        return
    a, b = forms.groups()
    sides = (("A", a == "t", sizes.m), ("B", b == "n", sizes.n))
    for name, wraps, ld in sides:
        if wraps and sizes.k * ld >= 2 * LIMIT:
            yield f"the start of a segment of {name}: {sizes.k} * {ld} elements, unsigned"


def _weights(launch: Launch, sizes: Extent, bits: int) -> Iterator[str]:
    if not launch.label.startswith(_ROWS_OF_WEIGHTS):
        return
    unit = 32 if _WORDS in launch.label else 8
    offset = (sizes.n - 1) * (sizes.k * bits // unit)
    if offset >= LIMIT:
        words = "words" if _WORDS in launch.label else "bytes"
        yield f"the last row of packed weights: {offset} {words} from the first, N = {sizes.n}"
    if launch.label == "qmv_wide" and (sizes.m - 1) * sizes.k >= LIMIT:
        yield f"the last row of x: {(sizes.m - 1) * sizes.k} elements from the first"
