"""Names and staging of kernels with quantized weights."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.arrays import Array, dense, transposed
from pytest_applegpu.routing.calls import Quantized
from pytest_applegpu.routing.launch import Tape, Tile
from pytest_applegpu.routing.quantized.product import Product, dense_rows, staged_bytes

TILE = Tile(32, 64, 16, 2, 2)


def product(*, transpose: bool = True, mode: str = "affine", B: int = 1) -> Product:
    weights = Quantized((64, 64), 32, 4, mode, transpose)
    return Product(weights, "float32", 8, 64, 64, B, (B, 8, 64))


def test_a_stem_says_mode_format_group_and_bits() -> None:
    assert product().stem("qmm_t") == "affine_qmm_t_float_gs_32_b_4"


def test_batches() -> None:
    assert product().batch == "_batch_0"
    assert product(B=2).batch == "_batch_1"


def test_staged() -> None:
    assert staged_bytes(product(), TILE, nax=False) == 4 * (32 + 64) * (16 + 4)
    plain = product(transpose=False)
    assert staged_bytes(plain, TILE, nax=False) == 4 * (32 * (16 + 4) + 16 * (64 + 4))
    assert staged_bytes(plain, TILE, nax=True) == 4 * 16 * (64 + 4)
    assert staged_bytes(product(mode="mxfp4"), TILE, nax=True) == 2 * 64 * (16 + 8)


@pytest.mark.parametrize(
    ("array", "copied"),
    [
        (dense((2, 8, 64), "float16"), False),
        (Array((2, 8, 64), (4096, 64, 1), "float16"), False),
        (Array((2, 8, 64), (0, 64, 1), "float16"), False),
        (Array((8, 64), (72, 1), "float16"), True),
        (Array((1, 64), (0, 1), "float16"), True),
        (transposed(dense((64, 64), "float16")), True),
        (dense((64,), "float16"), False),
        (Array((64,), (2,), "float16", data_size=127), True),
    ],
)
def test_what_is_copied_to_rows_one_after_another(array: Array, copied: bool) -> None:
    tape = Tape()
    rows = dense_rows(tape, array)
    assert bool(tape.launches) == copied
    assert rows.row_contiguous or not copied
