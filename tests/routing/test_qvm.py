"""Vector kernels of quantized weights that are not transposed."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.arrays import Shape
from pytest_applegpu.routing.calls import Quantized
from pytest_applegpu.routing.launch import Launch, Tape
from pytest_applegpu.routing.quantized.product import Product
from pytest_applegpu.routing.quantized.qvm import gather_qvm, qvm
from pytest_applegpu.routing.quantized.rules import RULES


def product(M: int, N: int, K: int, *, group: int = 64, out: Shape | None = None) -> Product:
    weights = Quantized((K, N), group, 4, "affine", transpose=False)
    return Product(weights, "float32", M, N, K, 1, out or (M, N))


def launched(p: Product, version: str = "0.32.1") -> list[Launch]:
    tape = Tape()
    qvm(tape, RULES.at(version), p)
    return tape.launches


def test_short_k_is_one_kernel() -> None:
    (one,) = launched(product(3, 520, 1023))
    assert one.kernel == "affine_qvm_float_gs_64_b_4_batch_0"
    assert (one.grid, one.group) == ((3, 9, 1), (32, 2, 1))


@pytest.mark.parametrize(("K", "parts"), [(1024, 8), (8192, 8), (8193, 32)])
def test_long_k_is_split(K: int, parts: int) -> None:
    one, total = launched(product(1, 512, K))
    assert one.kernel == f"affine_qvm_split_k_float_gs_64_b_4_spk_{parts}"
    assert one.grid == (1, 8, parts)
    assert total.role == "reduce"


def test_columns_follow_the_group_since_0_30_6() -> None:
    small = product(1, 512, 512, group=16)
    assert launched(small)[0].grid == (1, 16, 1)
    assert launched(small, "0.30.0")[0].grid == (1, 8, 1)


def test_split_left_out_columns_at_the_edge_before_0_32_1() -> None:
    edge = product(1, 544, 1024, group=32)
    assert launched(edge)[0].grid[1] == 9
    assert launched(edge, "0.31.2")[0].grid[1] == 8


def test_sums_go_over_the_rows_of_the_result_not_over_all_rows() -> None:
    _, total = launched(product(6, 512, 1024, out=(2, 3, 512)))
    assert total.grid == (12, 2, 1)
    _, vector = launched(product(1, 512, 1024, out=(512,)))
    assert vector.grid == (4, 1, 1)


def test_gathered() -> None:
    tape = Tape()
    gather_qvm(tape, RULES.at("0.32.1"), product(2, 512, 4096))
    assert [one.kernel for one in tape.launches] == ["affine_gather_qvm_float_gs_64_b_4"]
