"""Vector kernels of transposed quantized weights."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.calls import Quantized
from pytest_applegpu.routing.launch import Launch, Tape
from pytest_applegpu.routing.quantized.product import Product
from pytest_applegpu.routing.quantized.qmv import fast_step, gather_qmv, qmv, row_limit
from pytest_applegpu.routing.quantized.rules import RULES
from pytest_applegpu.routing.target import Target


def product(
    M: int, N: int, K: int, *, mode: str = "affine", bits: int = 4, group: int = 64, B: int = 1
) -> Product:
    weights = Quantized((N, K), group, bits, mode, transpose=True)
    return Product(weights, "float16", M, N, K, B, (B, M, N))


def launch(p: Product, *, version: str = "0.32.1", arch: str = "applegpu_g14s") -> Launch:
    tape = Tape()
    qmv(tape, Target(arch, nax=False, tf32=True, version=version), RULES.at(version), p)
    (one,) = tape.launches
    return one


@pytest.mark.parametrize(
    ("arch", "version", "limits"),
    [
        ("applegpu_g17s", "0.32.1", (33, 25, 13)),
        ("applegpu_g17s", "0.31.2", (18, 12, 10)),
        ("applegpu_g16g", "0.32.1", (13, 15, 13)),
        ("applegpu_g16g", "0.31.2", (18, 12, 10)),
        ("applegpu_g13g", "0.29.3", (14, 10, 6)),
        ("applegpu_g17d", "0.32.1", (32, 18, 12)),
        ("applegpu_g13d", "0.29.3", (32, 18, 12)),
        ("air64_v26", "0.32.1", (18, 12, 10)),
    ],
)
def test_row_limits(arch: str, version: str, limits: tuple[int, ...]) -> None:
    target = Target(arch, nax=False, tf32=True, version=version)
    sizes = ((2048, 2048), (2048, 2049), (4097, 64))
    rules = RULES.at(version)
    found = tuple(row_limit(target, rules, transpose=True, K=K, N=N) for K, N in sizes)
    assert found == limits
    assert row_limit(target, rules, transpose=False, K=64, N=64) == 4


@pytest.mark.parametrize("K", [64, 128])
def test_quad(K: int) -> None:
    one = launch(product(3, 65, K))
    assert one.kernel == f"affine_qmv_quad_float16_t_gs_64_b_4_d_{K}_batch_0"
    assert (one.grid, one.group) == ((3, 2, 1), (32, 1, 1))


def test_quad_needs_bits_that_are_a_power_of_2() -> None:
    assert launch(product(1, 64, 64, bits=6)).label == "qmv"


def test_quad_needs_whole_words_of_one_bit() -> None:
    assert launch(product(1, 64, 64, bits=1), version="0.32.4").label == "qmv"
    assert launch(product(1, 64, 128, bits=1), version="0.32.4").label == "qmv_quad"


def test_wide_takes_the_fewest_tiles_of_at_most_five_rows() -> None:
    one = launch(product(7, 500, 512, B=2), arch="applegpu_g15s")
    assert one.kernel == "affine_qmv_wide_float16_t_gs_64_b_4_nv_4_kl_8_batch_1"
    assert (one.grid, one.group) == ((2, 63, 2), (32, 2, 1))


def test_wide_is_for_generation_15_or_modes_without_biases() -> None:
    assert launch(product(2, 512, 512)).label == "qmv_fast"
    small = launch(product(2, 512, 512, mode="mxfp4", group=32))
    assert small.kernel.endswith("nv_2_kl_16_batch_0")
    assert small.grid == (1, 128, 1)
    assert launch(product(2, 512, 512), version="0.31.2", arch="applegpu_g16s").label == "qmv_fast"


def test_steps_of_the_fast_kernel() -> None:
    rules = RULES.at("0.32.1")
    assert [fast_step(rules, bits) for bits in (2, 3, 4, 5, 6, 8)] == [512] * 4 + [256] * 2
    assert fast_step(rules, 1) == 2048
    assert fast_step(RULES.at("0.31.2"), 8) == 512


def test_fast_needs_k_and_until_0_32_4_n() -> None:
    assert launch(product(1, 504, 512)).label == "qmv_fast"
    assert launch(product(1, 500, 512)).label == "qmv"
    assert launch(product(1, 504, 256)).label == "qmv"
    assert launch(product(1, 504, 256, bits=8)).label == "qmv_fast"
    assert launch(product(1, 504, 256, bits=8), version="0.31.2").label == "qmv"


def test_names_of_0_32_4_spell_everything_out() -> None:
    one = launch(product(1, 500, 512), version="0.32.4")
    assert one.kernel == "affine_qmv_fast_float16_t_gs_64_b_4_batch_0_pr_1_hgs_0_r_4"
    slow = launch(product(1, 500, 192), version="0.32.4")
    assert slow.kernel == "affine_qmv_float16_t_gs_64_b_4_batch_0_pr_0_hgs_0_r_4"


@pytest.mark.parametrize(
    ("N", "arch", "rows"),
    [(4096, "applegpu_g17s", 2), (4095, "applegpu_g17s", 4), (4096, "applegpu_g18s", 4)],
)
def test_narrow_nvfp4(N: int, arch: str, rows: int) -> None:
    one = launch(product(1, N, 512, mode="nvfp4", group=16), version="0.32.4", arch=arch)
    assert one.kernel.endswith(f"_r_{rows}")
    assert one.grid[1] == -(-N // (2 * rows))


def test_narrow_before_0_32_4_stands_in_the_middle_of_the_name() -> None:
    one = launch(product(1, 4096, 512, mode="nvfp4", group=16), arch="applegpu_g17s")
    assert one.kernel == "nvfp4_qmv_fast_float16_t_gs_16_b_4_r_2_batch_0"


def test_gathered_still_needs_n_in_0_32_4() -> None:
    tape = Tape()
    for N in (504, 500):
        gather_qmv(tape, RULES.at("0.32.4"), product(1, N, 512, B=3))
    assert [one.label for one in tape.launches] == ["gather_qmv_fast", "gather_qmv"]
    assert tape.launches[1].grid == (1, 63, 3)
