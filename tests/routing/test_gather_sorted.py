"""Single rows that meet matrices in order."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.arrays import Array, dense, transposed
from pytest_applegpu.routing.calls import GatherMM
from pytest_applegpu.routing.gathered.gather import gather_mm
from pytest_applegpu.routing.gathered.in_order import batch_contiguous
from pytest_applegpu.routing.launch import Launch, Refused, Tape
from pytest_applegpu.routing.target import Target

SIMD = Target("applegpu_g14s", nax=False, tf32=True, version="0.32.1")


def nax(version: str, *, tf32: bool = True) -> Target:
    return Target("applegpu_g17s", nax=True, tf32=tf32, version=version)


def routed(
    a: Array, b: Array, target: Target = SIMD, rhs: tuple[int, ...] = (100,)
) -> list[Launch]:
    tape = Tape()
    gather_mm(GatherMM(a, b, None, rhs, sorted=True), target, tape)
    return tape.launches


def test_all_rows_are_one_matrix() -> None:
    launch = routed(dense((100, 1, 48), "float32"), dense((4, 48, 65), "float32"))[-1]
    assert launch.kernel == "steel_gather_mm_rhs_nn_float32_float32_bm16_bn64_bk16_wm1_wn2"
    assert launch.suffix == "_align_M_n_align_N_n_align_K_t"
    assert (launch.grid, launch.group) == ((2, 7, 1), (32, 2, 1))
    assert (launch.params, launch.label) == ({"M": 100}, "gather_rhs")


def test_one_row_is_as_it_was_given() -> None:
    launch = routed(dense((1, 1, 48), "float32"), dense((4, 48, 65), "float32"), rhs=(1,))[-1]
    assert launch.params == {}


@pytest.mark.parametrize(
    ("each", "tile"),
    [
        (24, "bm16_bn128_bk128_wm1_wn4"),
        (25, "bm32_bn128_bk128_wm1_wn4"),
        (49, "bm64_bn128_bk128_wm2_wn4"),
    ],
)
def test_on_accelerators_rows_for_each_matrix_give_the_tile(each: int, tile: str) -> None:
    rows = 4 * each + 3
    launch = routed(
        dense((rows, 1, 48), "float16"), dense((4, 48, 65), "float16"), nax("0.30.0"), (rows,)
    )[-1]
    assert launch.kernel == f"steel_gather_mm_rhs_nax_nn_float16_float16_{tile}"
    assert launch.label == "gather_rhs_nax"
    assert launch.staged == 0


def test_accelerators_need_their_release_and_tf32_for_float32() -> None:
    a, b = dense((100, 1, 48), "float32"), dense((4, 48, 65), "float32")
    labels = [
        routed(a, b, target)[-1].label
        for target in (nax("0.29.3"), nax("0.30.0", tf32=False), nax("0.30.0"))
    ]
    assert labels == ["gather_rhs", "gather_rhs", "gather_rhs_nax"]


@pytest.mark.parametrize(("rows", "down"), [(3, 3), (5, 4), (100, 10)])
def test_since_offsets_are_found_threadgroups_go_by_matrix(rows: int, down: int) -> None:
    target = Target("applegpu_g14s", nax=False, tf32=True, version="0.32.3")
    a, b = dense((rows, 1, 48), "float32"), dense((2, 2, 48, 65), "float32")
    launches = routed(a, b, target, (rows,))
    assert [one.kernel for one in launches[:-1]] == ["arangeuint32", "gather_mm_offsets"]
    assert launches[-2].grid == (4, 1, 1)
    assert launches[-1].grid == (2, down, 1)


def test_before_only_the_first_axis_counts_matrices() -> None:
    a, b = dense((200, 1, 48), "float16"), dense((2, 9, 48, 65), "float16")
    old, new = (routed(a, b, nax(v), (200,))[-1].tile for v in ("0.32.2", "0.32.3"))
    assert old is not None
    assert new is not None
    assert (old.bm, new.bm) == (64, 16)


def test_rows_used_repeatedly_and_broadcast_indices_are_copied() -> None:
    a, b = dense((7, 1, 1, 48), "float32"), dense((4, 48, 65), "float32")
    launches = routed(a, b, rhs=(2,))
    assert [one.kernel for one in launches[1:3]] == ["g2_copyuint32uint32", "g3_copyfloat32float32"]
    assert launches[-1].params == {"M": 14}


def test_given_lhs_indices_or_more_rows_go_one_by_one() -> None:
    b, tape = dense((4, 48, 65), "float32"), Tape()
    gather_mm(GatherMM(dense((8, 1, 48), "float32"), b, (8,), (8,), sorted=True), SIMD, tape)
    assert tape.launches[-1].label == "gather_gemv_t"
    assert routed(dense((8, 2, 48), "float32"), b, rhs=(8,))[-1].label == "gather"


def test_older_releases_take_the_stride_of_the_axis_of_size_1_for_the_rows() -> None:
    a = Array((100, 1, 48), (48, 1, 1), "float32")
    b = dense((4, 48, 65), "float32")
    old = Target("applegpu_g14s", nax=False, tf32=True, version="0.31.2")
    assert routed(a, b, old)[-1].params["lda"] == 1


def test_matrices_keep_their_form_where_they_lie_in_order() -> None:
    tape = Tape()
    found = batch_contiguous(tape, transposed(dense((4, 65, 48), "float32")))
    assert (found.letter, found.ld, tape.launches) == ("t", 48, [])
    gaps = batch_contiguous(tape, Array((4, 48, 65), (48 * 70, 70, 1), "float32", data_size=13435))
    assert (gaps.letter, gaps.ld, tape.launches) == ("n", 70, [])


def test_matrices_with_steps_or_out_of_order_are_copied() -> None:
    steps = Array((4, 48, 65), (48 * 130, 130, 2), "float32", data_size=24959)
    swapped = Array((2, 3, 48, 65), (48 * 65, 2 * 48 * 65, 65, 1), "float32")
    for array in (steps, swapped):
        tape = Tape()
        found = batch_contiguous(tape, array)
        assert (found.letter, found.ld) == ("n", 65)
        assert [one.role for one in tape.launches] == ["copy"]


def test_one_matrix_without_a_batch_axis_must_be_row_major() -> None:
    assert routed(dense((100, 1, 48), "float32"), dense((48, 65), "float32"))
    with pytest.raises(Refused, match=r"^SmallVector out of range\.$"):
        routed(dense((100, 1, 48), "float32"), transposed(dense((65, 48), "float32")))
