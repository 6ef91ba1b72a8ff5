"""How a threadgroup of the vector kernels is laid over the matrix, and their grids."""

import pytest

from pytest_applegpu.routing.arrays import Array, broadcast_to, dense, transposed
from pytest_applegpu.routing.dense.gemv import gemv, gemv_tile
from pytest_applegpu.routing.dense.product import product
from pytest_applegpu.routing.launch import Launch, Tape


@pytest.mark.parametrize(
    ("outputs", "k", "text", "taken"),
    [
        (3, 512, "bm1_bn2_sm8_sn4_tm4_tn1", 8),
        (4, 512, "bm1_bn2_sm8_sn4_tm4_tn4", 32),
        (512, 512, "bm1_bn4_sm8_sn4_tm4_tn4", 64),
        (2048, 8191, "bm1_bn16_sm8_sn4_tm4_tn4", 256),
        (2048, 8192, "bm1_bn16_sm4_sn8_tm4_tn4", 512),
        (2047, 8192, "bm1_bn4_sm8_sn4_tm4_tn4", 64),
    ],
)
def test_down_columns(outputs: int, k: int, text: str, taken: int) -> None:
    tile = gemv_tile(outputs, k, transposed=True)
    assert (str(tile), tile.outputs) == (text, taken)


@pytest.mark.parametrize(
    ("outputs", "k", "text", "taken"),
    [
        (3, 64, "bm1_bn1_sm8_sn4_tm1_tn4", 8),
        (4096, 64, "bm1_bn1_sm8_sn4_tm4_tn4", 32),
        (4, 65, "bm1_bn8_sm1_sn32_tm4_tn4", 4),
        (128, 2048, "bm1_bn8_sm1_sn32_tm4_tn4", 4),
        (128, 2047, "bm4_bn1_sm1_sn32_tm4_tn4", 16),
        (4095, 512, "bm4_bn1_sm1_sn32_tm4_tn4", 16),
        (4096, 512, "bm8_bn1_sm1_sn32_tm4_tn4", 32),
    ],
)
def test_along_rows(outputs: int, k: int, text: str, taken: int) -> None:
    tile = gemv_tile(outputs, k, transposed=False)
    assert (str(tile), tile.outputs) == (text, taken)


def test_without_the_rules_of_k() -> None:
    assert str(gemv_tile(128, 64, transposed=False, by_k=False)) == "bm4_bn1_sm1_sn32_tm4_tn4"
    assert str(gemv_tile(2048, 8192, transposed=True, by_k=False)) == "bm1_bn16_sm8_sn4_tm4_tn4"


def launched(a: Array, b: Array, c: Array | None = None, beta: float = 0.0) -> Launch:
    tape = Tape()
    gemv(tape, product(tape, a, b, c, 1.0, beta))
    return tape.launches[-1]


def test_b_is_the_matrix_unless_it_has_one_column() -> None:
    row, column = dense((1, 512), "float16"), dense((512, 1), "float16")
    square = dense((512, 512), "float16")
    assert launched(row, square).label == "gemv_t"
    assert launched(row, transposed(square)).label == "gemv"
    assert launched(square, column).label == "gemv"
    assert launched(transposed(square), column).label == "gemv_t"


def test_batches_lie_along_z_and_those_that_do_not_merge_are_named() -> None:
    a = dense((2, 4, 1, 64), "float32")
    whole = launched(a, dense((2, 4, 64, 32), "float32"))
    apart = launched(a, broadcast_to(dense((1, 4, 64, 32), "float32"), (2, 4, 64, 32)))
    assert whole.grid == apart.grid == (1, 1, 8)
    assert "_nc0_" in whole.kernel
    assert "_nc1_" in apart.kernel


def test_addition_is_named_where_it_changes_something() -> None:
    a, b, c = dense((1, 64), "float32"), dense((64, 32), "float32"), dense((1, 32), "float32")
    assert launched(a, b, c, 1.0).kernel.endswith("_axpby1")
    assert launched(a, b, c, 0.0).kernel.endswith("_axpby0")
