"""Tiles of the SIMD kernels by device, their function constants and what they stage."""

import pytest

from pytest_applegpu.routing.arrays import Array, broadcast_to, dense, transposed
from pytest_applegpu.routing.dense.given import given
from pytest_applegpu.routing.dense.product import product
from pytest_applegpu.routing.dense.steel import (
    COMPLEX,
    FLAT,
    HALF,
    NARROW,
    SQUARE,
    simd_tile,
    staged_bytes,
    steel,
)
from pytest_applegpu.routing.launch import Launch, Tape, Tile


@pytest.mark.parametrize(
    ("letter", "dtype", "forms", "tile"),
    [
        ("g", "complex64", "nt", COMPLEX),
        ("g", "float32", "nt", NARROW),
        ("p", "float16", "nt", NARROW),
        ("p", "float16", "tt", HALF),
        ("g", "float32", "nn", SQUARE),
        ("s", "float16", "nt", SQUARE),
        ("c", "float16", "nt", SQUARE),
        ("6", "complex64", "nn", SQUARE),
    ],
)
def test_small_and_medium_devices(letter: str, dtype: str, forms: str, tile: Tile) -> None:
    assert simd_tile(letter, 1, 100, 100, 100, dtype, forms) == tile


@pytest.mark.parametrize(
    ("sizes", "dtype", "forms", "tile"),
    [
        ((1, 1024, 1024, 64), "float32", "nt", SQUARE),
        ((1, 1024, 1024, 2047), "float16", "nt", HALF),
        ((1, 1024, 1024, 2048), "float16", "nt", NARROW),
        ((1, 1024, 1024, 2048), "complex64", "tn", FLAT),
        ((16, 256, 256, 64), "float32", "nn", SQUARE),
        ((1, 1024, 1023, 64), "float16", "nt", NARROW),
        ((1, 1024, 1023, 64), "complex64", "nn", HALF),
        ((1, 1024, 1023, 64), "float32", "nt", FLAT),
        ((1, 1024, 1023, 64), "float32", "tn", NARROW),
    ],
)
def test_large_devices(
    sizes: tuple[int, int, int, int], dtype: str, forms: str, tile: Tile
) -> None:
    assert simd_tile("d", *sizes, dtype, forms) == tile


@pytest.mark.parametrize(
    ("tile", "dtype", "forms", "size"),
    [
        (SQUARE, "float32", "nn", 4 * (64 * 20 + 16 * 68)),
        (SQUARE, "float16", "nt", 2 * (64 * 24 + 64 * 24)),
        (HALF, "float16", "tn", 2 * (16 * 72 + 16 * 72)),
        (COMPLEX, "complex64", "nn", 8 * (64 * 10 + 8 * 34)),
    ],
)
def test_staged_memory_has_16_bytes_of_padding(
    tile: Tile, dtype: str, forms: str, size: int
) -> None:
    assert staged_bytes(tile, dtype, forms) == size


def launched(
    a: Array, b: Array, c: Array | None = None, alpha: float = 1.0, beta: float = 1.0
) -> Launch:
    tape = Tape()
    steel(tape, product(tape, a, b, c, alpha, beta), given(a, b), "s")
    return tape.launches[-1]


@pytest.mark.parametrize(
    ("alpha", "beta", "flags"),
    [
        (1.0, 1.0, "_use_out_source_t_do_axpby_n"),
        (0.0, 1.0, "_use_out_source_n_do_axpby_n"),
        (1.0, 0.0, "_use_out_source_t_do_axpby_t"),
        (0.5, 2.0, "_use_out_source_t_do_axpby_t"),
    ],
)
def test_flags_of_an_added_matrix(alpha: float, beta: float, flags: str) -> None:
    a = dense((64, 64), "float32")
    assert flags in launched(a, a, a, alpha, beta).suffix


def test_alignment_and_grid() -> None:
    launch = launched(dense((65, 48), "float32"), dense((48, 128), "float32"))
    assert launch.suffix.endswith("_align_M_n_align_N_t_align_K_t")
    assert (launch.grid, launch.group) == ((2, 2, 1), (32, 2, 2))


def test_two_batch_axes_are_a_function_constant() -> None:
    a = dense((2, 4, 64, 64), "float32")
    b = broadcast_to(dense((1, 4, 64, 64), "float32"), a.shape)
    launch = launched(a, b)
    assert launch.suffix.startswith("_has_batch_t")
    assert launch.params == {"bsa": 4096, "bsb": 4096}
    assert launched(a, a).suffix.startswith("_has_batch_n")


def test_params_are_what_shapes_do_not_tell() -> None:
    padded = Array((64, 64), (72, 1), "float32", data_size=64 * 72 - 8)
    assert launched(padded, transposed(padded)).params == {"lda": 72, "ldb": 72}
    one = broadcast_to(dense((64, 64), "float32"), (4, 64, 64))
    assert launched(dense((4, 64, 64), "float32"), one).params == {"M": 256}
