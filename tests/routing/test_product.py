"""Bringing operands into form, merging batch axes, and the batch that joins the rows."""

from dataclasses import replace

import pytest

from pytest_applegpu.routing.arrays import Array, broadcast_to, dense, transposed
from pytest_applegpu.routing.dense.product import int32, product
from pytest_applegpu.routing.launch import Tape


def f16(*shape: int) -> Array:
    return dense(shape, "float16")


def test_two_axes_have_one_batch_of_one() -> None:
    one = product(Tape(), f16(5, 7), transposed(f16(3, 7)))
    assert (one.m, one.n, one.k, one.batch, one.forms) == (5, 3, 7, 1, "nt")
    assert (one.batch_shape, one.strides) == ((1,), ((0,), (0,)))


def test_batch_axes_merge_where_both_operands_allow_it() -> None:
    one = product(Tape(), f16(2, 4, 5, 7), f16(2, 4, 7, 3))
    assert (one.batch, one.batch_shape, one.strides) == (8, (8,), ((35,), (21,)))


def test_axes_that_one_operand_lacks_stay_apart() -> None:
    b = broadcast_to(f16(1, 4, 7, 3), (2, 4, 7, 3))
    one = product(Tape(), f16(2, 4, 5, 7), b)
    assert (one.batch_shape, one.strides) == ((2, 4), ((140, 35), (0, 21)))


def test_a_batch_with_one_b_joins_the_rows() -> None:
    b = broadcast_to(f16(7, 3), (4, 7, 3))
    one = product(Tape(), f16(4, 5, 7), b)
    assert (one.m, one.batch, one.batch_shape, one.strides) == (20, 1, (1,), ((0,), (0,)))


@pytest.mark.parametrize(
    "a",
    [
        replace(f16(4, 5, 7), strides=(45, 9, 1), data_size=200),
        replace(f16(4, 5, 7), strides=(70, 7, 1), data_size=280),
        transposed(f16(4, 7, 5)),
        broadcast_to(f16(5, 7), (4, 5, 7)),
    ],
    ids=["rows with gaps", "matrices with gaps", "transposed", "broadcast"],
)
def test_rows_that_do_not_follow_one_another_stay_a_batch(a: Array) -> None:
    one = product(Tape(), a, broadcast_to(f16(7, 3), (4, 7, 3)))
    assert (one.m, one.batch) == (5, 4)


def test_c_has_to_go_along() -> None:
    b = broadcast_to(f16(7, 3), (4, 7, 3))
    dense_c = product(Tape(), f16(4, 5, 7), b, f16(4, 5, 3))
    one_c = product(Tape(), f16(4, 5, 7), b, broadcast_to(f16(5, 3), (4, 5, 3)))
    a_number = product(Tape(), f16(4, 5, 7), b, broadcast_to(f16(), (4, 5, 3)))
    assert [x.m for x in (dense_c, one_c, a_number)] == [20, 5, 20]


def test_a_vector_must_be_dense() -> None:
    tape = Tape()
    row = Array((1, 7), (9, 1), "float16", data_size=7)
    one = product(tape, row, f16(7, 3))
    assert [x.kernel for x in tape.launches] == ["g1_copyfloat16float16"]
    assert one.a.ld == 7


def test_kernels_that_scale_are_not_asked_for_where_nothing_would_change() -> None:
    a, b, c = f16(5, 7), f16(7, 3), f16(5, 3)
    assert not product(Tape(), a, b).scales
    assert not product(Tape(), a, b, c, 1.0, 0.0).scales
    assert product(Tape(), a, b, c, 1.0, 1.0).scales


@pytest.mark.parametrize(
    ("number", "kept"), [(5, 5), (2**31 - 1, 2**31 - 1), (2**31, -(2**31)), (2**32 + 3, 3)]
)
def test_numbers_wrap_as_32_bit_ones_do(number: int, kept: int) -> None:
    assert int32(number) == kept
