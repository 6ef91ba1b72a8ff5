"""Indices: made where the caller leaves them out, broadcast together, offsets of sorted ones."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.indices import arange, broadcast, gathered, offsets
from pytest_applegpu.routing.launch import Refused, Tape


@pytest.mark.parametrize(("size", "group"), [(1, 1), (1000, 1000), (1024, 1024), (5000, 1024)])
def test_one_thread_writes_one_number(size: int, group: int) -> None:
    launch = arange("int32", size)
    assert launch.kernel == "arangeint32"
    assert (launch.grid, launch.group, launch.kind) == ((size, 1, 1), (group, 1, 1), "threads")


def test_one_thread_finds_the_first_row_of_one_matrix() -> None:
    launch = offsets(2000)
    assert (launch.kernel, launch.kind) == ("gather_mm_offsets", "threads")
    assert (launch.grid, launch.group) == ((2000, 1, 1), (1024, 1, 1))


def test_left_out_indices_count_the_matrices() -> None:
    tape = Tape()
    made = gathered(tape, (3, 5), None)
    assert (made.shape, made.strides, made.dtype) == ((3, 5), (5, 1), "uint32")
    assert [one.grid for one in tape.launches] == [(15, 1, 1)]


def test_a_lone_matrix_is_counted_too() -> None:
    tape = Tape()
    assert gathered(tape, (), None).shape == ()
    assert [one.grid for one in tape.launches] == [(1, 1, 1)]


@pytest.mark.parametrize(("batch", "given"), [((3, 5), (4,)), ((0, 5), None)])
def test_given_indices_and_those_of_no_matrix_need_no_launch(
    batch: tuple[int, ...], given: tuple[int, ...] | None
) -> None:
    tape = Tape()
    gathered(tape, batch, given)
    assert not tape.launches


def test_both_are_brought_to_one_shape() -> None:
    tape = Tape()
    one, other = broadcast(gathered(tape, (), (7, 1)), gathered(tape, (), (2,)))
    assert one.shape == other.shape == (7, 2)
    assert (one.strides, other.strides) == ((1, 0), (0, 1))


def test_shapes_that_do_not_broadcast_are_refused_in_mlx_words() -> None:
    tape = Tape()
    with pytest.raises(Refused, match=r"^\[broadcast_shapes\] Shapes \(2\) and \(3\) cannot be"):
        broadcast(gathered(tape, (), (2,)), gathered(tape, (), (3,)))
