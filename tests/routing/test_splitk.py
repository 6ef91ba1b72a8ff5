"""Partitions of K on the SIMD kernels, and the kernel that adds them up."""

import pytest

from pytest_applegpu.routing.arrays import dense, transposed
from pytest_applegpu.routing.dense.given import given
from pytest_applegpu.routing.dense.product import Product, product
from pytest_applegpu.routing.dense.rules import RULES
from pytest_applegpu.routing.dense.splitk import next_power_of_2, partitions, splitk, splits
from pytest_applegpu.routing.launch import Launch, Tape


def plain(m: int, n: int, k: int, dtype: str = "float16", batch: int = 1) -> Product:
    some = () if batch == 1 else (batch,)
    return product(Tape(), dense((*some, m, k), dtype), dense((*some, k, n), dtype))


@pytest.mark.parametrize(("number", "power"), [(0, 1), (1, 1), (2, 2), (3, 4), (4, 4), (33, 64)])
def test_next_power_of_2(number: int, power: int) -> None:
    assert next_power_of_2(number) == power


@pytest.mark.parametrize(
    ("k", "parts"), [(128, 2), (255, 2), (256, 4), (512, 8), (1023, 8), (1024, 16), (65536, 16)]
)
def test_early_releases_go_by_k_alone(k: int, parts: int) -> None:
    assert partitions(plain(16, 16, k), RULES.at("0.30.0")) == parts


@pytest.mark.parametrize(
    ("m", "n", "k", "parts"),
    [(32, 32, 128, 8), (32, 32, 4096, 32), (64, 64, 128, 2), (64, 64, 1024, 16), (96, 64, 512, 8)],
)
def test_later_ones_by_k_and_the_tiles_of_the_result(m: int, n: int, k: int, parts: int) -> None:
    assert partitions(plain(m, n, k), RULES.at("0.32.4")) == parts


def test_batches_are_never_cut() -> None:
    rules = RULES.at("0.32.4")
    assert splits(Tape(), plain(64, 64, 512), "g", rules)
    assert not splits(Tape(), plain(64, 64, 512, batch=2), "g", rules)


def cut(m: int, n: int, k: int, dtype: str, *, beta: float | None = None) -> list[Launch]:
    tape = Tape()
    a, b = transposed(dense((k, m), dtype)), dense((k, n), dtype)
    c = None if beta is None else dense((m, n), dtype)
    splitk(tape, product(tape, a, b, c, 1.0, beta or 0.0), given(a, b), RULES.at("0.32.4"))
    return tape.launches


def test_kernels_grids_and_params() -> None:
    first, then = cut(39, 40, 1000, "bfloat16")
    assert first.kernel == (
        "steel_gemm_splitk_tn_bfloat16_float32_bm16_bn32_bk16_wm2_wn2_MN_naligned_K_naligned"
    )
    assert (first.grid, first.group) == ((2, 3, 16), (32, 2, 2))
    assert first.params == {"partitions": 16, "partition_size": 48, "partition_stride": 1560}
    assert then.kernel == "steel_gemm_splitk_accum_bfloat16_float32"
    assert (then.grid, then.group, then.kind) == ((40, 39, 1), (32, 32, 1), "threads")


def test_complex_numbers_are_summed_as_such() -> None:
    first, then = cut(32, 32, 256, "complex64")
    assert first.kernel.endswith(
        "complex64_complex64_bm16_bn16_bk16_wm2_wn2_MN_taligned_K_taligned"
    )
    assert then.kernel == "steel_gemm_splitk_accum_complex64_complex64"


def test_the_matrix_is_added_with_the_sums() -> None:
    assert cut(32, 32, 256, "float32", beta=1.0)[1].kernel.endswith("_axbpy")
    assert cut(32, 32, 256, "float32", beta=0.0)[1].kernel.endswith("float32_float32")
