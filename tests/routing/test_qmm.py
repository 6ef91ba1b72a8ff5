"""Matrix kernels with quantized weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_applegpu.routing.calls import Quantized
from pytest_applegpu.routing.launch import Launch, Tape, Tile
from pytest_applegpu.routing.quantized.product import Product
from pytest_applegpu.routing.quantized.qmm import gather_qmm_tiled, qmm
from pytest_applegpu.routing.quantized.rules import RULES, Rules
from pytest_applegpu.routing.target import Target


def product(
    M: int,
    N: int,
    K: int,
    *,
    B: int = 1,
    transpose: bool = True,
    mode: str = "affine",
    group: int = 64,
    dtype: str = "float16",
) -> Product:
    w = (N, K) if transpose else (K, N)
    return Product(Quantized(w, group, 4, mode, transpose), dtype, M, N, K, B, (B, M, N))


def launched(
    p: Product,
    version: str = "0.32.1",
    *,
    nax: bool = True,
    tf32: bool = True,
    decide: Callable[[Tape, Target, Rules, Product], None] = qmm,
) -> list[Launch]:
    tape = Tape()
    decide(tape, Target("applegpu_g17s", nax=nax, tf32=tf32, version=version), RULES.at(version), p)
    return tape.launches


def test_split_aims_at_512_threadgroups_of_whole_groups() -> None:
    one, total = launched(product(34, 2000, 2048))
    assert one.kernel == "affine_qmm_t_splitk_float16_t_gs_64_b_4_alN_false"
    assert (one.grid, one.group) == ((63, 2, 4), (32, 2, 2))
    assert total.kernel.startswith("col_reduce_small")


@pytest.mark.parametrize(("K", "parts"), [(64 * 7, 7), (64 * 11, 11), (64 * 13 * 2, 26), (64, 1)])
def test_split_is_lowered_until_it_divides_k(K: int, parts: int) -> None:
    one = launched(product(34, 256, K))[0]
    assert one.grid[2] == parts


def test_parts_are_steps_of_32_since_0_32_1() -> None:
    small = product(34, 256, 480, mode="nvfp4", group=16)
    assert launched(small, "0.31.2")[0].grid[2] == 30
    assert launched(small)[0].grid[2] == 15


def test_no_split_of_batches_of_plain_weights_of_many_tiles_or_before_0_31_2() -> None:
    for p in (product(34, 2048, 2048, B=2), product(34, 2048, 2048, transpose=False)):
        assert "splitk" not in launched(p)[0].kernel
    assert "splitk" in launched(product(32, 8192, 2048))[0].kernel
    assert "splitk" not in launched(product(32, 8224, 2048))[0].kernel
    assert "splitk" not in launched(product(34, 2048, 2048), "0.30.6")[0].kernel


def test_sums_of_0_32_4_are_those_of_the_dense_split() -> None:
    _, total = launched(product(34, 2048, 2048), "0.32.4")
    assert total.kernel == "steel_gemm_splitk_accum_float16_float32"
    assert (total.grid, total.group, total.role) == ((2048, 34, 1), (32, 32, 1), "accumulate")


def test_nax() -> None:
    (one,) = launched(product(100, 8256, 2048))
    tail = "bm64_bn64_bk64_wm2_wn2_alN_true_batch_0"
    assert one.kernel == f"affine_qmm_t_nax_float16_t_gs_64_b_4_{tail}"
    assert (one.grid, one.group, one.tile) == ((129, 2, 1), (32, 2, 2), Tile(64, 64, 64, 2, 2))
    assert one.staged == 64 * (64 + 8) * 2


def test_nax_of_few_rows_has_32_since_0_32_2() -> None:
    assert "_bm64_" in launched(product(32, 8256, 2048), "0.32.1")[0].kernel
    assert "_bm32_" in launched(product(32, 8256, 2048), "0.32.2")[0].kernel
    assert "_bm64_" in launched(product(33, 8256, 2048), "0.32.2")[0].kernel


@pytest.mark.parametrize(
    ("p", "options"),
    [
        (product(100, 8256, 96, group=32), {}),
        (product(100, 8256, 2048), {"nax": False}),
        (product(100, 8256, 2048), {"version": "0.29.3"}),
        (product(100, 8256, 2048, dtype="float32"), {"tf32": False}),
    ],
)
def test_simd_where_nax_does_not_fit(p: Product, options: dict[str, Any]) -> None:
    (one,) = launched(p, **options)
    assert "_qmm_t_float" in one.kernel
    assert one.tile == Tile(32, 32, 32, 2, 2)
    assert one.staged == 2 * 32 * (32 * (4 if p.dtype == "float32" else 2) + 16)


def test_plain_weights_on_nax_since_0_32_3() -> None:
    plain = product(100, 512, 512, transpose=False)
    assert launched(plain, "0.32.2")[0].kernel == "affine_qmm_n_float16_t_gs_64_b_4_batch_0"
    (one,) = launched(plain, "0.32.3")
    assert one.kernel.endswith("_qmm_n_nax_float16_t_gs_64_b_4_bm64_bn64_bk64_wm2_wn2_batch_0")
    for other in (
        product(100, 512, 480, transpose=False),
        product(100, 480, 512, transpose=False, group=32),
        product(100, 512, 512, transpose=False, mode="mxfp4", group=32),
    ):
        assert "_nax_" not in launched(other, "0.32.3")[0].kernel


def test_gathered_bk_was_asked_for_wrongly_before_0_32_1() -> None:
    p = product(40, 100, 512, B=3)
    (old,) = launched(p, "0.31.2", decide=gather_qmm_tiled)
    (new,) = launched(p, decide=gather_qmm_tiled)
    assert old.kernel.endswith("bm64_bn64_bk32_wm2_wn2_alN_false")
    assert new.kernel.endswith("bm64_bn64_bk64_wm2_wn2_alN_false")
    assert old.grid == new.grid == (2, 1, 3)


def test_gathered_plain_weights_stay_on_simd() -> None:
    p = product(40, 512, 512, B=3, transpose=False)
    (one,) = launched(p, "0.32.4", decide=gather_qmm_tiled)
    assert one.kernel == "affine_gather_qmm_n_float16_t_gs_64_b_4"


def test_fp_modes_stage_bfloat16_on_nax() -> None:
    (one,) = launched(product(100, 8256, 2048, mode="mxfp4", group=32, dtype="float32"))
    assert one.staged == 64 * (64 + 8) * 2
