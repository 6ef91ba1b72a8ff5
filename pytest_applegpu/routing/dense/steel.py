"""Which tile do the SIMD kernels of matrix products have, and what do they stage in memory?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.routing.arrays import ITEMSIZE
from pytest_applegpu.routing.copies import ceil_div
from pytest_applegpu.routing.dense.given import Given
from pytest_applegpu.routing.dense.product import Product
from pytest_applegpu.routing.launch import Launch, Tape, Tile

LARGE_RESULT: Final = 1 << 20
"""Elements of the result from which an Ultra counts a product as large."""

SQUARE: Final = Tile(64, 64, 16, 2, 2)
NARROW: Final = Tile(64, 32, 32, 2, 2)
HALF: Final = Tile(64, 64, 16, 1, 2)
FLAT: Final = Tile(32, 64, 16, 1, 2)
COMPLEX: Final = Tile(64, 32, 8, 4, 1)


def simd_tile(  # noqa: PLR0917 - a device, sizes and a format
    letter: str, batch: int, m: int, n: int, k: int, dtype: str, forms: str
) -> Tile:
    """Return the tile by the device's letter: g and p are small, d large, all others medium.

    `forms` are the operands' letters, such as `nt` for a transposed b.
    """
    if letter in {"g", "p"}:
        return _small(dtype, forms)
    if letter != "d":
        return SQUARE
    if batch * m * n >= LARGE_RESULT:
        return _large_result(m, n, k, dtype, forms)
    if dtype == "float32":
        return FLAT if forms == "nt" else NARROW
    return NARROW if forms == "nt" else HALF


def _small(dtype: str, forms: str) -> Tile:
    if dtype == "complex64":
        return COMPLEX
    if forms == "nt":
        return NARROW
    return SQUARE if dtype == "float32" else HALF


def _large_result(m: int, n: int, k: int, dtype: str, forms: str) -> Tile:
    if dtype == "float32":
        return SQUARE
    if 2 * max(m, n) > k:
        return HALF
    return NARROW if forms == "nt" else FLAT


def staged_bytes(tile: Tile, dtype: str, forms: str) -> int:
    """Return the threadgroup memory for a block of both operands.

    Each row, or column, of a block is padded by 16 bytes against bank conflicts.
    """
    size = ITEMSIZE[dtype]
    pad = 16 // size
    a = tile.bk * (tile.bm + pad) if forms[0] == "t" else tile.bm * (tile.bk + pad)
    b = tile.bn * (tile.bk + pad) if forms[1] == "t" else tile.bk * (tile.bn + pad)
    return size * (a + b)


def flag(*, on: bool) -> str:
    """Return a function constant as names have it."""
    return "t" if on else "n"


def aligned(product: Product, tile: Tile) -> str:
    """Return in a name's form which of M, N and K are whole tiles."""
    m, n, k = (
        flag(on=size % by == 0)
        for size, by in ((product.m, tile.bm), (product.n, tile.bn), (product.k, tile.bk))
    )
    return f"_align_M_{m}_align_N_{n}_align_K_{k}"


def source_flags(product: Product) -> str:
    """Return in a name's form whether a matrix is added, and scaled."""
    alpha, beta = product.alpha, product.beta
    uses = product.adds and (alpha != 0.0 or beta != 1.0)
    scales = uses and (alpha != 1.0 or beta != 1.0)
    return f"_use_out_source_{flag(on=uses)}_do_axpby_{flag(on=scales)}"


def fused_suffix(product: Product, tile: Tile) -> str:
    """Return the function constants of the kernels that write the result themselves."""
    batch = flag(on=len(product.batch_shape) > 1)
    return f"_has_batch_{batch}{source_flags(product)}{aligned(product, tile)}"


def steel(tape: Tape, product: Product, given: Given, letter: str) -> None:
    """Write down the SIMD kernel that computes each tile of the result over the whole K."""
    sizes = product.batch, product.m, product.n, product.k
    dtype, forms = product.dtype, product.forms
    tile = simd_tile(letter, *sizes, dtype, forms)
    tape.because(
        "SIMD kernel, tile by letter, format, transposition and sizes",
        f"letter {letter}, {dtype}, {forms}, batch {sizes[0]}, M {sizes[1]}, N {sizes[2]}, "
        f"K {sizes[3]}: {tile}",
    )
    tape.add(
        Launch(
            f"steel_gemm_fused_{forms}_{dtype}_{dtype}_{tile}",
            "matmul",
            (ceil_div(product.n, tile.bn), ceil_div(product.m, tile.bm), product.batch),
            (32, tile.wn, tile.wm),
            suffix=fused_suffix(product, tile),
            params=given.params(product),
            label="gemm",
            tile=tile,
            staged=staged_bytes(tile, dtype, forms),
        )
    )
