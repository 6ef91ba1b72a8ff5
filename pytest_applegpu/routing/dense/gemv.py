"""Which kernel multiplies a matrix by one vector, and how many outputs take a threadgroup?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_applegpu.routing.copies import ceil_div
from pytest_applegpu.routing.dense.product import Product
from pytest_applegpu.routing.launch import Launch, Tape

LONG_K: Final = 8192
"""K from which a transposed kernel reads 8 neighbouring columns with 4 rows of threads."""

SHORT_K: Final = 64
"""K up to which a row is too short for a whole SIMD-group."""


@dataclass(frozen=True, slots=True)
class GemvTile:
    """How a threadgroup is laid over the matrix.

    bm x bn SIMD-groups of sm x sn threads, each thread with tm x tn elements; `outputs` elements of
    the result come from one threadgroup.
    """

    bm: int
    bn: int
    sm: int
    sn: int
    tm: int
    tn: int
    outputs: int

    @property
    def group(self) -> tuple[int, int, int]:
        """Threads of a threadgroup."""
        return 32, self.bn, self.bm

    def __str__(self) -> str:
        """Text as it stands in kernel names."""
        return f"bm{self.bm}_bn{self.bn}_sm{self.sm}_sn{self.sn}_tm{self.tm}_tn{self.tn}"


def gemv_tile(outputs: int, k: int, *, transposed: bool, by_k: bool = True) -> GemvTile:
    """Return the layout for `outputs` elements of K products each.

    `transposed` is the kernel that walks down columns: that of a matrix whose K axis is not the
    contiguous one. Without `by_k` the rules that go by K are left out, as gathered products do.
    """
    return _down(outputs, k, by_k=by_k) if transposed else _along(outputs, k, by_k=by_k)


def _down(outputs: int, k: int, *, by_k: bool) -> GemvTile:
    wide = by_k and k >= LONG_K and outputs >= 2048
    sm, sn = (4, 8) if wide else (8, 4)
    bn = 16 if outputs >= 2048 else 4 if outputs >= 512 else 2
    tn = 1 if outputs < 4 else 4
    return GemvTile(1, bn, sm, sn, 4, tn, bn * sn * tn)


def _along(outputs: int, k: int, *, by_k: bool) -> GemvTile:
    bm, bn, sm, sn = 8 if outputs >= 4096 else 4, 1, 1, 32
    if by_k and k <= SHORT_K:
        bm, sm, sn = 1, 8, 4
    elif by_k and k >= 16 * outputs:
        bm, bn = 1, 8
    tm = 1 if outputs < 4 else 4
    return GemvTile(bm, bn, sm, sn, tm, 4, bm * sm * tm)


def gemv(tape: Tape, product: Product) -> None:
    """Write down the product of a matrix and a vector: b is the matrix unless it has one column."""
    matrix_is_b = product.n != 1
    outputs = product.n if matrix_is_b else product.m
    down = not product.b.transposed if matrix_is_b else product.a.transposed
    tape.because(
        "one row or one column: gemv",
        f"M {product.m}, N {product.n}; matrix {'b' if matrix_is_b else 'a'}, "
        f"{'down columns' if down else 'along rows'}, {outputs} outputs",
    )
    tile = gemv_tile(outputs, product.k, transposed=down)
    name = "gemv_t" if down else "gemv"
    several = len(product.batch_shape) != 1
    tape.add(
        Launch(
            f"{name}_{product.dtype}_{tile}_nc{several:d}_axpby{product.scales:d}",
            "matmul",
            (ceil_div(outputs, tile.outputs), 1, product.batch),
            tile.group,
            label=name,
            staged=0,
        )
    )
