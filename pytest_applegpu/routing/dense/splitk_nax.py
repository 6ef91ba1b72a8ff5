"""When and into how many partitions is K cut on the neural accelerators?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.routing.copies import ceil_div
from pytest_applegpu.routing.dense.given import Given
from pytest_applegpu.routing.dense.nax import LARGE_TILE, TALL_TILE, WIDE_TILE, swizzled
from pytest_applegpu.routing.dense.product import Product
from pytest_applegpu.routing.dense.rules import DenseRules
from pytest_applegpu.routing.dense.splitk import Test, accumulate, decided, partition_params
from pytest_applegpu.routing.dense.steel import aligned
from pytest_applegpu.routing.launch import Launch, Tape, Tile

SMALL_TILE: Final = Tile(64, 64, 256, 2, 2)
LARGE_RESULT: Final = 2048 * 2048
LONG_K: Final = 10240


def splits_nax(tape: Tape, product: Product, rules: DenseRules) -> bool:
    """Return whether the accelerators cut K: it must be some times as long as M and N."""
    m, n, k, longest = product.m, product.n, product.k, product.longest
    if rules.nax_splitk == "none":
        return False
    tests: list[Test] = [("one batch", product.batch, "<=", 1)]
    if rules.nax_splitk == "large":
        tests += [("M*N >= 2048^2", m * n, ">=", LARGE_RESULT), ("K >= 10240", k, ">=", LONG_K)]
    if rules.nax_splitk != "large" and longest <= 1024 and 2 * longest < k < 3 * longest:
        tests += [("K > 2*max(M,N)", k, ">", 2 * longest), ("max(M,N)", longest, "<=", 1024)]
    else:
        tests.append(("K >= 3*max(M,N)", k, ">=", 3 * longest))
    return decided(tape, "NAX split-K", tests)


def split_tile(product: Product, letter: str, rules: DenseRules) -> Tile:
    """Return the tile of the kernel that sums each partition."""
    m, n, k = product.m, product.n, product.k
    if rules.nax_splitk == "large":
        return LARGE_TILE
    if (m + n) // 2 < 512 or k <= 4096:
        return SMALL_TILE
    if not (rules.ultra_tiles and letter == "d"):
        return LARGE_TILE
    if _small_on_ultra(product):
        return SMALL_TILE
    return TALL_TILE if n > m else WIDE_TILE


def partition_size(product: Product, letter: str, rules: DenseRules) -> int:
    """Return how much of K a partition takes; an odd K up to 1024 leaves one k for a third."""
    k = product.k
    if rules.nax_splitk == "large":
        return 3072
    if k <= 1024:
        return k // 2
    if k <= 2048:
        return 1024
    if k <= 4096 or (rules.ultra_tiles and letter == "d" and _small_on_ultra(product)):
        return 2048
    return 4096


def splitk_nax(tape: Tape, product: Product, given: Given, letter: str, rules: DenseRules) -> None:
    """Write down the kernel that sums each partition of K, and the one that adds them up.

    The grid has one axis: all tiles of the first partition, then those of the next.
    """
    tile = split_tile(product, letter, rules)
    size = partition_size(product, letter, rules)
    parts = ceil_div(product.k, size)
    log = _swizzle(product, tile, letter, rules)
    columns, rows = swizzled(product, tile, log)
    tape.because("partitions of K, tile", f"{parts} of {size}, {tile}, swizzle {log}")
    tape.add(
        Launch(
            f"steel_gemm_splitk_nax_{product.forms}_{product.dtype}_float32_{tile}",
            "matmul",
            (columns * rows * parts, 1, 1),
            (32, tile.wn, tile.wm),
            suffix=aligned(product, tile),
            params=given.params(product, log) | partition_params(product, parts, size),
            label="splitk_nax",
            tile=tile,
            staged=0,
        )
    )
    tape.add(accumulate(product, "float32", "splitk_nax"))


def _small_on_ultra(product: Product) -> bool:
    return product.longest <= 2048


def _swizzle(product: Product, tile: Tile, letter: str, rules: DenseRules) -> int:
    if rules.ultra_tiles and letter == "d":
        return 0 if product.m > product.n else 1
    return 0 if ceil_div(product.m, tile.bm) <= 3 else 1
