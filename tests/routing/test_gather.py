"""`gather_mm`: which of its kernels, and with which numbers."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.arrays import Array, dense, transposed
from pytest_applegpu.routing.calls import GatherMM, Matmul
from pytest_applegpu.routing.dense.operations import matmul
from pytest_applegpu.routing.gathered.gather import gather_mm
from pytest_applegpu.routing.launch import Launch, Refused, Tape
from pytest_applegpu.routing.target import Target

Shape = tuple[int, ...]


def routed(
    a: Array,
    b: Array,
    lhs: Shape | None = None,
    rhs: Shape | None = (8,),
    arch: str = "applegpu_g14s",
    version: str = "0.31.2",
) -> list[Launch]:
    tape = Tape()
    target = Target(arch, nax=True, tf32=True, version=version)
    gather_mm(GatherMM(a, b, lhs, rhs, sorted=False), target, tape)
    return tape.launches


def test_without_indices_it_is_matmul() -> None:
    a, b = dense((8, 5, 6), "float32"), dense((8, 6, 7), "float32")
    tape = Tape()
    matmul(Matmul(a, b), Target("applegpu_g14s", nax=True, tf32=True, version="0.31.2"), tape)
    assert routed(a, b, rhs=None) == tape.launches


def test_indices_that_are_left_out_are_made_first() -> None:
    a, b = dense((8, 5, 6), "float32"), dense((4, 6, 7), "float32")
    assert routed(a, b)[0].kernel == "arangeuint32"
    assert [one.role for one in routed(a, b, lhs=(8,))] == ["matmul"]
    made = routed(a, b, lhs=(4,), rhs=None)[0]
    assert (made.role, made.grid) == ("index", (4, 1, 1))


@pytest.mark.parametrize(
    ("n", "k", "kernel", "groups"),
    [
        (3, 64, "gemv_t_gather_float32_bm1_bn2_sm8_sn4_tm4_tn1", 1),
        (512, 64, "gemv_t_gather_float32_bm1_bn4_sm8_sn4_tm4_tn4", 8),
        (2048, 8191, "gemv_t_gather_float32_bm1_bn16_sm8_sn4_tm4_tn4", 8),
        (2048, 8192, "gemv_t_gather_float32_bm1_bn16_sm4_sn8_tm4_tn4", 4),
    ],
)
def test_a_row_walks_down_the_columns_of_b(n: int, k: int, kernel: str, groups: int) -> None:
    launch = routed(dense((8, 1, k), "float32"), dense((4, k, n), "float32"))[-1]
    assert (launch.kernel, launch.grid, launch.label) == (kernel, (groups, 1, 8), "gather_gemv_t")


@pytest.mark.parametrize(
    ("n", "k", "kernel"),
    [
        (3, 16, "gemv_gather_float32_bm4_bn1_sm1_sn32_tm1_tn4"),
        (100, 4096, "gemv_gather_float32_bm4_bn1_sm1_sn32_tm4_tn4"),
        (4096, 64, "gemv_gather_float32_bm8_bn1_sm1_sn32_tm4_tn4"),
    ],
)
def test_along_rows_k_does_not_matter(n: int, k: int, kernel: str) -> None:
    b = transposed(dense((4, n, k), "float32"))
    assert routed(dense((8, 1, k), "float32"), b)[-1].kernel == kernel


def test_with_one_column_the_matrix_is_a() -> None:
    b = dense((4, 64, 1), "float32")
    along = routed(dense((8, 16, 64), "float32"), b)[-1]
    down = routed(transposed(dense((8, 64, 16), "float32")), b)[-1]
    assert (along.label, down.label) == ("gather_gemv", "gather_gemv_t")


def test_a_vector_with_steps_is_copied() -> None:
    a = Array((8, 1, 64), (128, 128, 2), "float32", data_size=1023)
    labels = [one.label for one in routed(a, dense((4, 64, 16), "float32"))]
    assert labels == ["", "copy", "gather_gemv_t"]


def test_other_matrices_take_the_tile_of_the_device_and_never_the_accelerators() -> None:
    a, b = dense((8, 40, 64), "float16"), transposed(dense((4, 100, 64), "float16"))
    medium = routed(a, b, arch="applegpu_g17s")[-1]
    assert medium.kernel == "steel_gather_mm_nt_float16_float16_bm64_bn64_bk16_wm2_wn2"
    assert (medium.grid, medium.group) == ((2, 1, 8), (32, 2, 2))
    assert medium.suffix == "_has_batch_n_align_M_n_align_N_n_align_K_t"
    assert medium.params == {"bsa": 1, "bsb": 1}
    small = routed(a, b, arch="applegpu_g17g")[-1]
    assert small.kernel.endswith("bm64_bn32_bk32_wm2_wn2")


def test_the_number_of_results_counts_for_an_ultra() -> None:
    a, b = dense((1, 64, 64), "float32"), dense((4, 64, 64), "float32")
    few, many = (routed(a, b, rhs=(n,), arch="applegpu_g15d")[-1] for n in (255, 256))
    assert few.kernel.endswith("bm64_bn32_bk32_wm2_wn2")
    assert many.kernel.endswith("bm64_bn64_bk16_wm2_wn2")


def test_several_axes_of_indices_and_broadcast_ones() -> None:
    a, b = dense((2, 1, 5, 6), "float32"), dense((4, 6, 7), "float32")
    launch = routed(a, b, rhs=(3,))[-1]
    assert launch.grid == (1, 1, 6)
    assert launch.suffix.startswith("_has_batch_t")
    assert launch.params == {"bsa": 1}


def test_gaps_are_told() -> None:
    a = Array((8, 32, 96), (32 * 104, 104, 1), "float32", data_size=26616)
    launch = routed(a, dense((4, 96, 64), "float32"), lhs=(8,))[-1]
    assert launch.params == {"lda": 104, "bsa": 1, "bsb": 1}


def test_an_operand_without_elements_gives_zeros() -> None:
    launches = routed(dense((8, 5, 0), "float32"), dense((4, 0, 7), "float32"))
    assert [one.kernel for one in launches] == ["arangeuint32", "s_copyfloat32float32"]
    assert launches[-1].grid == (280, 1, 1)
    assert [
        one.role for one in routed(dense((8, 0, 6), "float32"), dense((4, 6, 7), "float32"))
    ] == ["index"]


def test_complex_numbers_are_refused() -> None:
    with pytest.raises(Refused, match=r"^\[gather_mm\] Only real floating point"):
        routed(dense((8, 5, 6), "complex64"), dense((4, 6, 7), "complex64"))
