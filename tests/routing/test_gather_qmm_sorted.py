"""Rows that come expert after expert."""

from __future__ import annotations

from pytest_applegpu.routing.calls import Quantized
from pytest_applegpu.routing.launch import Launch, Tape
from pytest_applegpu.routing.quantized.gather_qmm_sorted import gather_qmm_sorted
from pytest_applegpu.routing.quantized.product import Product
from pytest_applegpu.routing.quantized.rules import RULES
from pytest_applegpu.routing.target import Target


def launched(
    rows: int,
    *,
    version: str = "0.32.1",
    nax: bool = False,
    transpose: bool = True,
    N: int = 500,
    K: int = 512,
) -> list[Launch]:
    w = (4, N, K) if transpose else (4, K, N)
    p = Product(Quantized(w, 64, 4, "affine", transpose), "float16", 1, N, K, rows, (rows, 1, N))
    tape = Tape()
    target = Target("applegpu_g17g", nax=nax, tf32=True, version=version)
    gather_qmm_sorted(tape, target, RULES.at(version), p, rows)
    return tape.launches


def test_simd() -> None:
    (one,) = launched(255)
    sizes = "bm_16_bn_32_bk_32_wm_1_wn_2"
    assert one.kernel == f"affine_gather_qmm_rhs_nt_float16_t_gs_64_b_4_{sizes}"
    assert one.suffix == "_align_M_n_align_N_n_align_K_t"
    assert (one.grid, one.group) == ((16, 16, 1), (32, 2, 1))
    assert one.staged == (16 + 32) * (32 + 8) * 2


def test_nax_blocks_follow_rows_an_expert_since_0_32_1() -> None:
    assert "_bm_32_" in launched(255, nax=True)[0].kernel
    assert "_bm_64_" in launched(256, nax=True)[0].kernel
    assert "_bm_64_" in launched(255, nax=True, version="0.31.2")[0].kernel


def test_plain_weights_on_nax_since_0_32_4() -> None:
    assert launched(256, nax=True, transpose=False)[0].label == "gather_qmm_rhs_nn"
    old = launched(256, nax=True, transpose=False, version="0.32.3")[-1]
    new = launched(256, nax=True, transpose=False, version="0.32.4")[-1]
    assert (old.label, new.label) == ("gather_qmm_rhs_nn", "gather_qmm_rhs_nax_nn")


def test_offsets_first_since_0_32_3_and_a_tile_more_an_expert() -> None:
    found, one = launched(255, version="0.32.3")
    assert (found.kernel, found.grid) == ("gather_mm_offsets", (4, 1, 1))
    assert one.grid == (16, 16 + 3, 1)


def test_there_are_not_more_tiles_than_rows() -> None:
    assert launched(2, version="0.32.3")[-1].grid[1] == 2
