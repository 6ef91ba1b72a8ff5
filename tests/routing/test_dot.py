"""Dot products: partial sums, their reduction in one pass or two, and the copy of the result."""

import pytest

from pytest_applegpu.routing.arrays import Array, broadcast_to, dense
from pytest_applegpu.routing.dense.dot import all_reduce, dot
from pytest_applegpu.routing.dense.product import product
from pytest_applegpu.routing.launch import Tape


@pytest.mark.parametrize(("k", "groups"), [(1, 1), (16384, 1), (16385, 2), (16384 * 4096, 4096)])
def test_kernels_and_grids(k: int, groups: int) -> None:
    tape = Tape()
    assert dot(tape, product(tape, dense((1, k), "float16"), dense((k, 1), "float16")))
    first, reduction, copy = tape.launches
    assert first.kernel == "dot_product_float16_it32_tg512_sg16"
    assert (first.grid, first.group) == ((512 * groups, 1, 1), (512, 1, 1))
    assert reduction.grid == (max(32, -(-groups // 128) * 32), 1, 1)
    assert copy.kernel == "s_copyfloat32float16"


@pytest.mark.parametrize(
    ("size", "grids"),
    [
        (1, [(32, 1, 1)]),
        (4096, [(1024, 1, 1)]),
        (4097, [(32, 128, 1), (32, 1, 1)]),
        (131072, [(256, 128, 1), (32, 1, 1)]),
    ],
)
def test_reductions_of_more_than_a_threadgroup_take_two_passes(
    size: int, grids: list[tuple[int, int, int]]
) -> None:
    tape = Tape()
    all_reduce(tape, "sum", "float32", size)
    assert [launch.grid for launch in tape.launches] == grids


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (dense((1, 8), "complex64"), dense((8, 1), "complex64")),
        (dense((2, 8), "float32"), dense((8, 1), "float32")),
        (dense((1, 8), "float32"), dense((8, 2), "float32")),
        (dense((2, 1, 8), "float32"), dense((2, 8, 1), "float32")),
    ],
    ids=["complex", "two rows", "two columns", "batch"],
)
def test_what_is_no_dot_product(a: Array, b: Array) -> None:
    tape = Tape()
    assert not dot(tape, product(tape, a, b))
    assert not tape.launches


def test_vectors_with_gaps_are_copied_before() -> None:
    tape = Tape()
    a = Array((1, 8), (16, 2), "float32", data_size=15)
    assert dot(tape, product(tape, a, dense((8, 1), "float32")))
    assert tape.launches[0].label == "copy"


def test_a_batch_of_one_is_none() -> None:
    tape = Tape()
    a = broadcast_to(dense((1, 8), "float32"), (1, 1, 8))
    assert dot(tape, product(tape, a, dense((1, 8, 1), "float32")))
