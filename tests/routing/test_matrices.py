"""The two forms of a matrix, and the copy of one that has neither."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.arrays import Array, broadcast_to, dense, transposed
from pytest_applegpu.routing.dense.matrices import matrix
from pytest_applegpu.routing.launch import Tape


def test_rows_need_no_copy_whatever_lies_between_them() -> None:
    tape = Tape()
    found = matrix(tape, Array((4, 6), (9, 1), "float32", data_size=33))
    assert (found.letter, found.ld, tape.launches) == ("n", 9, [])


def test_columns_need_no_copy_either() -> None:
    tape = Tape()
    found = matrix(tape, transposed(dense((2, 4, 6), "float32")))
    assert (found.letter, found.ld, tape.launches) == ("t", 6, [])
    assert found.batch_strides == (24,)


def test_steps_inside_rows_are_copied_out() -> None:
    tape = Tape()
    found = matrix(tape, Array((4, 6), (12, 2), "float32", data_size=47))
    assert (found.letter, found.ld, found.array.strides) == ("n", 6, (6, 1))
    assert [one.kernel for one in tape.launches] == ["g1_copyfloat32float32"]


@pytest.mark.parametrize(("vector", "copies"), [(False, 0), (True, 1)])
def test_a_broadcast_vector_is_copied(vector: bool, copies: int) -> None:
    tape = Tape()
    matrix(tape, broadcast_to(dense((1, 6), "float32"), (5, 1, 6)), vector=vector)
    assert len(tape.launches) == copies


def test_a_vector_whose_axes_were_exchanged_stays() -> None:
    tape = Tape()
    found = matrix(tape, transposed(dense((8, 6, 1), "float32")), vector=True)
    assert (found.letter, found.ld, tape.launches) == ("t", 1, [])
