"""Tiles, partitions and grids where K is cut on the neural accelerators."""

import pytest

from pytest_applegpu.routing.arrays import dense
from pytest_applegpu.routing.dense.given import given
from pytest_applegpu.routing.dense.nax import LARGE_TILE, TALL_TILE, WIDE_TILE
from pytest_applegpu.routing.dense.product import Product, product
from pytest_applegpu.routing.dense.rules import RULES
from pytest_applegpu.routing.dense.splitk_nax import (
    SMALL_TILE,
    partition_size,
    split_tile,
    splitk_nax,
)
from pytest_applegpu.routing.launch import Tape, Tile


def plain(m: int, n: int, k: int) -> Product:
    return product(Tape(), dense((m, k), "float16"), dense((k, n), "float16"))


@pytest.mark.parametrize(
    ("k", "size"),
    [(512, 256), (1023, 511), (1024, 512), (1025, 1024), (2049, 2048), (4096, 2048), (4097, 4096)],
)
def test_partitions(k: int, size: int) -> None:
    assert partition_size(plain(64, 64, k), "s", RULES.at("0.32.2")) == size
    assert partition_size(plain(64, 64, k), "s", RULES.at("0.30.6")) == 3072


@pytest.mark.parametrize(
    ("m", "n", "k", "letter", "version", "tile"),
    [
        (2048, 2048, 10240, "s", "0.30.6", LARGE_TILE),
        (64, 64, 10240, "s", "0.31.2", SMALL_TILE),
        (512, 511, 10240, "s", "0.31.2", SMALL_TILE),
        (512, 512, 4096, "s", "0.31.2", SMALL_TILE),
        (512, 512, 4097, "s", "0.31.2", LARGE_TILE),
        (512, 512, 4097, "d", "0.32.2", LARGE_TILE),
        (512, 512, 4097, "d", "0.32.3", SMALL_TILE),
        (2048, 2048, 8192, "d", "0.32.3", SMALL_TILE),
        (2049, 2048, 8192, "d", "0.32.3", WIDE_TILE),
        (2048, 2049, 8192, "d", "0.32.3", TALL_TILE),
        (2049, 2048, 8192, "s", "0.32.3", LARGE_TILE),
    ],
)
def test_tiles(m: int, n: int, k: int, letter: str, version: str, tile: Tile) -> None:
    assert split_tile(plain(m, n, k), letter, RULES.at(version)) == tile


@pytest.mark.parametrize(
    ("m", "n", "letter", "version", "log"),
    [
        (192, 64, "s", "0.32.2", 0),
        (193, 64, "s", "0.32.2", 1),
        (64, 64, "d", "0.32.3", 1),
        (256, 64, "d", "0.32.3", 0),
    ],
)
def test_swizzle(m: int, n: int, letter: str, version: str, log: int) -> None:
    tape = Tape()
    one = plain(m, n, 1000)
    splitk_nax(tape, one, given(one.a.array, one.b.array), letter, RULES.at(version))
    assert tape.launches[0].params.get("swizzle_log", 0) == log


def test_the_grid_has_one_axis_and_an_odd_k_a_third_partition() -> None:
    tape = Tape()
    one = plain(300, 65, 999)
    splitk_nax(tape, one, given(one.a.array, one.b.array), "s", RULES.at("0.32.2"))
    first, then = tape.launches
    assert first.kernel == "steel_gemm_splitk_nax_nn_float16_float32_bm64_bn64_bk256_wm2_wn2"
    assert first.suffix == "_align_M_n_align_N_n_align_K_n"
    assert first.grid == (2 * 2 * 3 * 3, 1, 1)
    assert first.params == {
        "swizzle_log": 1,
        "partitions": 3,
        "partition_size": 499,
        "partition_stride": 19500,
    }
    assert then.kernel == "steel_gemm_splitk_accum_float16_float32"
