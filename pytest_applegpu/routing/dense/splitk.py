"""Into how many partitions is K cut on the SIMD kernels, and what adds their sums up?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_applegpu.routing.copies import block_dims, ceil_div
from pytest_applegpu.routing.dense.given import Given
from pytest_applegpu.routing.dense.product import Product, int32
from pytest_applegpu.routing.dense.rules import DenseRules
from pytest_applegpu.routing.dense.steel import flag, staged_bytes
from pytest_applegpu.routing.launch import Launch, Tape, Tile

BK: Final = 16
FEWEST_STEPS: Final = 8
"""Steps of 16 along K below which K is never cut."""

MOST_PARTITIONS: Final = 32
MOST_WHOLE_TILES: Final = 32
"""Tiles of 16x16 within the result up to which early releases cut K."""


def next_power_of_2(number: int) -> int:
    """Return the smallest power of 2 that is not below `number`, 1 at least."""
    return 1 << max(number - 1, 0).bit_length()


def splits(tape: Tape, product: Product, letter: str, rules: DenseRules) -> bool:
    """Return whether the SIMD kernels cut K: for a small result with a K that is long beside it."""
    m, n, k, longest = product.m, product.n, product.k, product.longest
    tests = [("one batch", product.batch, "<=", 1), ("K >= 128", k, ">=", FEWEST_STEPS * BK)]
    if rules.splitk_by_size:
        tiles, most = ceil_div(m, 16) * ceil_div(n, 16), 2048 if letter in {"s", "d"} else 1024
        tests += [("K >= max(M,N)", k, ">=", longest), ("16x16 tiles", tiles, "<=", most)]
    else:
        whole = (m // 16) * (n // 16)
        tests.append(("whole 16x16 tiles", whole, "<=", MOST_WHOLE_TILES))
    return decided(tape, "split-K", tests)


Test = tuple[str, int, str, int]
"""A condition in words, and the values that decide it, as in ("K >= 128", 96, ">=", 128)."""


def decided(tape: Tape, path: str, tests: Sequence[Test]) -> bool:
    """Return whether every test holds, and write down all that do, or the first that does not."""
    failed = next((test for test in tests if not _holds(test)), None)
    if failed is not None:
        name, value, sign, limit = failed
        tape.because(f"no {path}: {name}", f"{value} {_OPPOSITE[sign]} {limit}")
        return False
    for name, value, sign, limit in tests:
        tape.because(f"{path}: {name}", f"{value} {sign} {limit}")
    return True


_OPPOSITE: Final = {">=": "<", "<=": ">", ">": "<="}


def _holds(test: Test) -> bool:
    _, value, sign, limit = test
    return value > limit if sign == ">" else value >= limit if sign == ">=" else value <= limit


def partitions(product: Product, rules: DenseRules) -> int:
    """Return into how many parts K is cut."""
    steps = product.k // BK
    if rules.splitk_by_tiles:
        tiles = ceil_div(product.m, 32) * ceil_div(product.n, 32)
        return min(max(2, next_power_of_2(steps // tiles)), MOST_PARTITIONS)
    return 2 if steps < 16 else 4 if steps < 32 else 8 if steps < 64 else 16


def splitk(tape: Tape, product: Product, given: Given, rules: DenseRules) -> None:
    """Write down the kernel that sums each partition of K, and the one that adds them up."""
    tile = Tile(16 if product.m < 40 else 32, 16 if product.n < 40 else 32, BK, 2, 2)
    parts = partitions(product, rules)
    size = product.k // BK // parts * BK
    sums = "complex64" if product.dtype == "complex64" else "float32"
    whole = product.m % tile.bm == 0 and product.n % tile.bn == 0
    ends = f"_MN_{flag(on=whole)}aligned_K_{flag(on=product.k % BK == 0)}aligned"
    tape.because("partitions of K", f"{parts} of {size}, the last one to K = {product.k}")
    tape.add(
        Launch(
            f"steel_gemm_splitk_{product.forms}_{product.dtype}_{sums}_{tile}{ends}",
            "matmul",
            (ceil_div(product.n, tile.bn), ceil_div(product.m, tile.bm), parts),
            (32, 2, 2),
            params=given.params(product) | partition_params(product, parts, size),
            label="splitk",
            tile=tile,
            staged=staged_bytes(tile, product.dtype, product.forms),
        )
    )
    tape.add(accumulate(product, sums, "splitk"))


def partition_params(product: Product, parts: int, size: int) -> dict[str, int]:
    """Return how K is cut; a partition's sums lie M * N elements behind the one before."""
    stride = int32(product.m * product.n)
    return {"partitions": parts, "partition_size": size, "partition_stride": stride}


def accumulate(product: Product, sums: str, label: str) -> Launch:
    """Return the kernel that adds up partitions' sums of format `sums`, and adds c if asked."""
    n, m = product.n, product.m
    scaled = "_axbpy" if product.scales else ""
    return Launch(
        f"steel_gemm_splitk_accum_{product.dtype}_{sums}{scaled}",
        "accumulate",
        (n, m, 1),
        block_dims(n, m, 1),
        "threads",
        label=label,
        staged=0,
    )
