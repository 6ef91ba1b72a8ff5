"""Which kernel of the neural accelerators computes a product in one go, with which tile?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.routing.copies import INT32_MAX, ceil_div
from pytest_applegpu.routing.dense.given import Given
from pytest_applegpu.routing.dense.product import Product
from pytest_applegpu.routing.dense.rules import DenseRules
from pytest_applegpu.routing.dense.steel import aligned, fused_suffix, source_flags
from pytest_applegpu.routing.launch import Launch, Tape, Tile

LARGE_TILE: Final = Tile(128, 128, 512, 4, 4)
TALL_TILE: Final = Tile(128, 64, 512, 4, 2)
WIDE_TILE: Final = Tile(64, 128, 512, 2, 4)
THIN: Final = 64
"""Columns, or rows, up to which a product is thin."""


def nax_tile(product: Product, letter: str, rules: DenseRules) -> Tile:
    """Return the tile; Pro, Max and Ultra have smaller ones than the base chips."""
    m, n, k = product.m, product.n, product.k
    if rules.ultra_tiles and letter == "d":
        return TALL_TILE if n > m else WIDE_TILE
    if rules.nax_tiles and letter in {"s", "c", "d"}:
        return Tile(64, 128, 64 if k >= 8192 and k > m + n else 256, 2, 4)
    return LARGE_TILE


def nax_swizzle(product: Product, tile: Tile, letter: str, rules: DenseRules) -> int:
    """Return the logarithm of how many rows of tiles are walked together."""
    if rules.ultra_tiles and letter == "d":
        return 0 if product.m > product.n else 2
    if rules.nax_tiles and letter in {"s", "c", "d"}:
        return 2
    return 0 if ceil_div(product.m, tile.bm) <= 3 else 1


def swizzled(product: Product, tile: Tile, log: int) -> tuple[int, int]:
    """Return columns and rows of threadgroups when 2**`log` rows of tiles are walked together."""
    rows, columns = ceil_div(product.m, tile.bm), ceil_div(product.n, tile.bn)
    return columns << log, ceil_div(rows, 1 << log)


def nax_gemm(tape: Tape, product: Product, given: Given, letter: str, rules: DenseRules) -> None:
    """Write down the kernel that computes each tile of the result over the whole K."""
    tile = nax_tile(product, letter, rules)
    log = nax_swizzle(product, tile, letter, rules)
    tape.because(
        "accelerators, whole K in each tile",
        f"letter {letter}, M {product.m}, N {product.n}, K {product.k}: {tile}, swizzle {log}",
    )
    tape.add(
        Launch(
            f"steel_gemm_fused_nax_{product.forms}_{product.dtype}_{product.dtype}_{tile}",
            "matmul",
            (*swizzled(product, tile, log), product.batch),
            (32, tile.wn, tile.wm),
            suffix=fused_suffix(product, tile),
            params=given.params(product, log),
            label="gemm_nax",
            tile=tile,
            staged=0,
        )
    )


def is_thin(tape: Tape, product: Product) -> bool:
    """Return whether the kernel for few columns, or few rows times a transposed b, is taken."""
    b = product.b
    if product.batch != 1 or product.a.transposed or product.dtype == "float32":
        return False
    if product.n > THIN and not (b.transposed and product.m <= THIN):
        return False
    if not b.transposed and product.k * b.ld > INT32_MAX:
        tape.because("not thin: b is not reached with 32 bits", f"{product.k} * {b.ld} >= 2**31")
        return False
    tape.because("N <= 64, or M <= 64 and b transposed: thin", f"M {product.m}, N {product.n}")
    return True


def nax_thin(tape: Tape, product: Product, given: Given) -> None:
    """Write down the kernel for few columns or rows: 32 rows by 32 or 64 columns a threadgroup."""
    sn, ks = (1, 4) if product.m < 2048 else (2, 2)
    tile = Tile(32, 32 * sn, 64, 1, sn)
    groups = ceil_div(product.m, tile.bm) * ceil_div(product.n, tile.bn)
    tape.because("columns of SIMD-groups by M < 2048", f"M {product.m}: sn {sn}, ks {ks}")
    tape.add(
        Launch(
            f"steel_gemm_thin_nax_{product.forms}_{product.dtype}_um2_un2_sm1_sn{sn}_ks{ks}",
            "matmul",
            (groups, 1, 1),
            (128, 1, 1),
            suffix=source_flags(product) + aligned(product, tile),
            params=given.params(product),
            label="thin_nax",
            tile=tile,
            staged=0,
        )
    )
