"""Other shapes of an array: views where its strides allow, else copies."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_applegpu.routing.arrays import Array, Shape, broadcast_to, dense, transposed
from pytest_applegpu.routing.launch import Tape
from pytest_applegpu.routing.reshape import flattened, reshaped


def f32(*shape: int) -> Array:
    return dense(shape, "float32")


@pytest.mark.parametrize(
    ("array", "shape", "strides"),
    [
        (f32(4, 6), (2, 2, 6), (12, 6, 1)),
        (Array((4, 6), (8, 1), "float32", data_size=30), (2, 2, 6), (16, 8, 1)),
        (Array((4, 6), (8, 1), "float32", data_size=30), (4, 2, 3), (8, 3, 1)),
        (Array((4, 6), (8, 1), "float32", data_size=30), (4, 1, 6), (8, 6, 1)),
        (broadcast_to(f32(1, 6), (4, 6)), (2, 2, 6), (0, 0, 1)),
        (broadcast_to(f32(), (3,)), (3, 1), (0, 0)),
        (f32(0, 6), (3, 0), (0, 1)),
    ],
)
def test_views(array: Array, shape: Shape, strides: Shape) -> None:
    tape = Tape()
    view = reshaped(tape, array, shape)
    assert not tape.launches
    assert (view.shape, view.strides) == (shape, strides)


@pytest.mark.parametrize(
    ("array", "kernel"),
    [
        (transposed(f32(4, 32, 64)), "g3_copyfloat32float32"),
        (broadcast_to(f32(32, 64), (4, 32, 64)), "g2_copyfloat32float32"),
    ],
)
def test_copies(array: Array, kernel: str) -> None:
    tape = Tape()
    rows = flattened(tape, array)
    assert [launch.kernel for launch in tape.launches] == [kernel]
    assert rows.row_contiguous


def test_rows_with_gaps_flatten_without_a_copy() -> None:
    tape = Tape()
    rows = flattened(tape, Array((4, 5, 7), (50, 10, 1), "float32", offset=3, data_size=197))
    assert (rows.shape, rows.strides, rows.offset) == ((20, 7), (10, 1), 3)
    assert not tape.launches


@settings(max_examples=60, deadline=None)
@given(
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    order=st.randoms(use_true_random=False),
    folds=st.lists(st.sampled_from([1, 2, 3]), max_size=3),
)
def test_a_view_reaches_the_elements_that_numpy_says(
    shape: list[int], order: Random, folds: list[int]
) -> None:
    axes = list(range(len(shape)))
    order.shuffle(axes)
    source = np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape).transpose(axes)
    lengths = source.shape
    left, new = source.size, []
    for fold in folds:
        if left % fold == 0:
            new.append(fold)
            left //= fold
    new.append(left)
    strides = tuple(step // 4 for step in source.strides)
    tape = Tape()
    got = reshaped(tape, Array(lengths, strides, "float32"), tuple(new))
    if not tape.launches:
        base = np.arange(source.size, dtype=np.float32)
        seen = np.lib.stride_tricks.as_strided(base, got.shape, [4 * s for s in got.strides])
        np.testing.assert_array_equal(seen, source.reshape(new))
