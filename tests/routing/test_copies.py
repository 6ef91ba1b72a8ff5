"""Copies and fills: which kernel for how many elements, and on which grid."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.arrays import Array, Shape, dense, transposed
from pytest_applegpu.routing.copies import contiguous_copy, fill, grid_2d, vector_copy
from pytest_applegpu.routing.launch import Launch, Tape, Triple


def filled(*shape: int, dtype: str = "float16") -> list[Launch]:
    tape = Tape()
    fill(tape, dense(shape, dtype))
    return tape.launches


@pytest.mark.parametrize(
    ("shape", "kernel", "grid"),
    [
        ((4, 4), "s_copyfloat16float16", (16, 1, 1)),
        ((256, 256), "sn_copyfloat16float16", (1 << 14, 1, 1)),
        ((65536, 65535), "sn_copyfloat16float16", (65535 << 14, 1, 1)),
        ((65536, 65536), "s2_copyfloat16float16", (1 << 30, 1, 1)),
        ((131072, 131072), "s2_copyfloat16float16", (131072, 32768, 1)),
    ],
)
def test_fills(shape: Shape, kernel: str, grid: Triple) -> None:
    (one,) = filled(*shape)
    assert (one.kernel, one.grid) == (kernel, grid)


def test_nothing_is_filled_or_copied_without_elements() -> None:
    assert filled(0, 4) == []
    tape = Tape()
    assert contiguous_copy(tape, Array((0, 2), (4, 2), "float16", data_size=0)).shape == (0, 2)
    assert not tape.launches


def test_vectors_beyond_32_bits_are_copied_on_two_axes() -> None:
    one = vector_copy(dense((131072, 131072), "float32"), "float32")
    assert (one.kernel, one.grid) == ("v2_copyfloat32float32", (131072, 65536, 1))
    one = vector_copy(transposed(dense((1 << 17, 1 << 16), "float16")), "complex64")
    assert (one.kernel, one.grid) == ("v2_copyfloat16complex64", (1 << 17, 1 << 16, 1))


@pytest.mark.parametrize(
    ("shape", "per_thread", "grid"),
    [
        ((2**20, 2**14), 2, (2**19, 2**14, 1)),
        ((2, 2**20, 2**14), 2, (2**20, 2**14, 1)),
        ((3, 2**31), 2, (2**30, 3, 1)),
        ((3, 5), 2, (16, 1, 1)),
    ],
)
def test_two_axes_of_threads(shape: Shape, per_thread: int, grid: tuple[int, int, int]) -> None:
    assert grid_2d(shape, (1,) * len(shape), per_thread) == grid


def test_a_grid_has_two_sides_of_32_bits() -> None:
    assert grid_2d((3, 4, 5), (20, 5, 1)) == (60, 1, 1)
    assert grid_2d((3, 4), (0, 1)) == (4, 1, 1)
    assert grid_2d((1 << 17, 1 << 16), (1 << 16, 1)) == (1 << 17, 1 << 16, 1)
    assert grid_2d((1 << 16, 1 << 17), (1 << 17, 1)) == (1 << 17, 1 << 16, 1)
