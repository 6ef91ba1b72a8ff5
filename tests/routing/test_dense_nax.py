"""Tiles and grids of products in one go on the neural accelerators, and the thin kernel."""

import pytest

from pytest_applegpu.routing.arrays import dense, transposed
from pytest_applegpu.routing.dense.given import given
from pytest_applegpu.routing.dense.nax import (
    LARGE_TILE,
    TALL_TILE,
    WIDE_TILE,
    is_thin,
    nax_gemm,
    nax_thin,
)
from pytest_applegpu.routing.dense.product import Product, product
from pytest_applegpu.routing.dense.rules import RULES
from pytest_applegpu.routing.launch import Launch, Tape, Tile


def plain(m: int, n: int, k: int, forms: str = "nn", dtype: str = "float16") -> Product:
    a = transposed(dense((k, m), dtype)) if forms[0] == "t" else dense((m, k), dtype)
    b = transposed(dense((n, k), dtype)) if forms[1] == "t" else dense((k, n), dtype)
    return product(Tape(), a, b)


def launched(one: Product, letter: str, version: str) -> Launch:
    tape = Tape()
    nax_gemm(tape, one, given(one.a.array, one.b.array), letter, RULES.at(version))
    return tape.launches[0]


@pytest.mark.parametrize(
    ("m", "n", "k", "letter", "version", "tile", "log"),
    [
        (384, 384, 64, "s", "0.30.6", LARGE_TILE, 0),
        (385, 384, 64, "s", "0.30.6", LARGE_TILE, 1),
        (385, 384, 64, "g", "0.32.4", LARGE_TILE, 1),
        (100, 100, 64, "s", "0.31.2", Tile(64, 128, 256, 2, 4), 2),
        (100, 100, 64, "c", "0.32.4", Tile(64, 128, 256, 2, 4), 2),
        (4096, 4095, 8192, "s", "0.32.4", Tile(64, 128, 64, 2, 4), 2),
        (4096, 4096, 8192, "s", "0.32.4", Tile(64, 128, 256, 2, 4), 2),
        (4096, 4095, 8192, "d", "0.32.2", Tile(64, 128, 64, 2, 4), 2),
        (100, 101, 64, "d", "0.32.3", TALL_TILE, 2),
        (100, 100, 64, "d", "0.32.3", WIDE_TILE, 2),
        (101, 100, 64, "d", "0.32.3", WIDE_TILE, 0),
    ],
)
def test_tiles_and_swizzle(
    m: int, n: int, k: int, letter: str, version: str, tile: Tile, log: int
) -> None:
    launch = launched(plain(m, n, k), letter, version)
    assert launch.tile == tile
    assert launch.params.get("swizzle_log", 0) == log


def test_rows_of_tiles_are_walked_together() -> None:
    launch = launched(plain(700, 300, 64), "s", "0.32.4")
    assert (launch.grid, launch.group) == ((3 * 4, 3, 1), (32, 4, 2))


@pytest.mark.parametrize(
    ("m", "n", "forms", "dtype", "thin"),
    [
        (4096, 64, "nn", "float16", True),
        (4096, 65, "nn", "float16", False),
        (64, 65, "nt", "bfloat16", True),
        (65, 65, "nt", "bfloat16", False),
        (64, 65, "nn", "bfloat16", False),
        (64, 64, "tn", "float16", False),
        (64, 64, "nn", "float32", False),
    ],
)
def test_thin_products(m: int, n: int, forms: str, dtype: str, *, thin: bool) -> None:
    assert is_thin(Tape(), plain(m, n, 512, forms, dtype)) is thin


def test_a_plain_b_must_be_reached_with_32_bits() -> None:
    assert is_thin(Tape(), plain(64, 64, 2**25 - 1))
    assert not is_thin(Tape(), plain(64, 64, 2**25))
    assert is_thin(Tape(), plain(64, 64, 2**25, "nt"))


@pytest.mark.parametrize(
    ("m", "n", "end", "groups"),
    [(2047, 64, "sn1_ks4", 64 * 2), (2048, 64, "sn2_ks2", 64), (40, 65, "sn1_ks4", 2 * 3)],
)
def test_the_thin_kernel(m: int, n: int, end: str, groups: int) -> None:
    tape = Tape()
    one = plain(m, n, 512, "nt")
    nax_thin(tape, one, given(one.a.array, one.b.array))
    assert tape.launches[0].kernel == f"steel_gemm_thin_nax_nt_float16_um2_un2_sm1_{end}"
    assert tape.launches[0].grid == (groups, 1, 1)
