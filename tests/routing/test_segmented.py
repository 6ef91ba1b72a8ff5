"""`segmented_mm`: segments of K, SIMD or on the accelerators."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.arrays import Array, dense, transposed
from pytest_applegpu.routing.calls import SegmentedMM
from pytest_applegpu.routing.gathered.segmented import segmented_mm
from pytest_applegpu.routing.launch import Launch, Refused, Tape
from pytest_applegpu.routing.target import Target

NAX = Target("applegpu_g17g", nax=True, tf32=True, version="0.31.2")


def routed(a: Array, b: Array, segments: Array, target: Target = NAX) -> list[Launch]:
    tape = Tape()
    segmented_mm(SegmentedMM(a, b, segments), target, tape)
    return tape.launches


def bounds(*shape: int) -> Array:
    return dense((*shape, 2), "uint32")


@pytest.mark.parametrize(
    ("segments", "bk", "grid"),
    [(4, 256, (3, 2, 4)), (5, 128, (3, 2, 5)), (8, 128, (3, 2, 8)), (9, 64, (9, 3, 2))],
)
def test_on_accelerators_the_average_segment_gives_bk(
    segments: int, bk: int, grid: tuple[int, int, int]
) -> None:
    a, b = dense((100, 1024), "float16"), dense((1024, 130), "float16")
    (launch,) = routed(a, b, bounds(segments))
    assert launch.kernel == f"steel_segmented_mm_nax_nn_float16_float16_bm64_bn64_bk{bk}_wm2_wn2"
    assert (launch.grid, launch.label, launch.staged) == (grid, "segmented_nax", 0)


def test_whole_tiles_are_those_of_the_simd_kernel_even_on_accelerators() -> None:
    a, b = dense((64, 1024), "float16"), transposed(dense((96, 1024), "float16"))
    (launch,) = routed(a, b, bounds(8))
    assert launch.suffix == "_segments_contiguous_t_align_M_t_align_N_t"


@pytest.mark.parametrize(
    "target",
    [
        Target("applegpu_g17s", nax=True, tf32=True, version="0.30.6"),
        Target("applegpu_g17s", nax=True, tf32=False, version="0.31.2"),
        Target("applegpu_g14s", nax=False, tf32=True, version="0.31.2"),
    ],
    ids=["release", "tf32", "device"],
)
def test_otherwise_the_simd_tile(target: Target) -> None:
    a, b = dense((100, 1024), "float32"), dense((1024, 130), "float32")
    (launch,) = routed(a, b, bounds(2, 3), target)
    assert launch.kernel == "steel_segmented_mm_nn_float32_float32_bm64_bn64_bk16_wm2_wn2"
    assert (launch.grid, launch.label) == ((3, 2, 6), "segmented")


@pytest.mark.parametrize(
    "segments",
    [
        Array((8, 2), (4, 2), "uint32", data_size=31),
        transposed(dense((2, 8), "uint32")),
        Array((8, 2), (10, 1), "uint32", data_size=72),
    ],
    ids=["step", "transposed", "gaps"],
)
def test_segments_that_are_not_dense_are_copied(segments: Array) -> None:
    launches = routed(dense((64, 64), "float16"), dense((64, 64), "float16"), segments)
    assert [one.label for one in launches] == ["copy", "segmented_nax"]
    assert "_segments_contiguous_t_" in launches[-1].suffix


def test_neighbouring_bounds_are_read_as_they_lie() -> None:
    windows = Array((8, 2), (1, 1), "uint32", data_size=9)
    (launch,) = routed(dense((64, 64), "float16"), dense((64, 64), "float16"), windows)
    assert "_segments_contiguous_n_" in launch.suffix


def test_gaps_are_told() -> None:
    a = Array((64, 64), (72, 1), "float16", data_size=4600)
    (launch,) = routed(a, dense((64, 64), "float16"), bounds(3))
    assert launch.params == {"lda": 72}


def test_a_result_without_elements_has_no_segments() -> None:
    (launch,) = routed(dense((0, 64), "float16"), dense((64, 64), "float16"), bounds(3))
    assert launch.grid[0] == 0


@pytest.mark.parametrize(
    ("a", "segments", "dtype", "words"),
    [
        ((1, 4, 4), (3, 2), "float32", r"^\[segmented_mm\] Batched matmul not supported$"),
        ((4, 4), (3, 3), "float32", r"should have shape \(\.\.\., 2\) but \(3,3\) was provided\.$"),
        ((4, 4), (), "float32", r"but \(\) was provided\.$"),
        ((4, 4), (3, 2), "int32", r"^\[segmented_mm\] Only real floating point"),
    ],
)
def test_what_mlx_refuses(
    a: tuple[int, ...], segments: tuple[int, ...], dtype: str, words: str
) -> None:
    with pytest.raises(Refused, match=words):
        routed(dense(a, dtype), dense((4, 4), dtype), dense(segments, "uint32"))


def test_one_segment_must_be_dense() -> None:
    a, b = dense((64, 1024), "float16"), dense((1024, 96), "float16")
    assert len(routed(a, b, dense((2,), "uint32"))) == 1
    with pytest.raises(Refused, match=r"^SmallVector out of range\.$"):
        routed(a, b, Array((2,), (2,), "uint32", data_size=3))


def test_no_segments_are_not_copied() -> None:
    a, b = dense((64, 1024), "float16"), dense((1024, 96), "float16")
    (launch,) = routed(a, b, Array((0, 2), (4, 2), "uint32", data_size=0))
    assert launch.role == "matmul"
