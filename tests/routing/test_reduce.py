"""Reductions over columns."""

from __future__ import annotations

from pytest_applegpu.routing.arrays import Shape
from pytest_applegpu.routing.launch import Launch, Tape
from pytest_applegpu.routing.reduce import Columns, column_reduce


def launched(out: Shape, size: int, stride: int, others: Shape = ()) -> list[Launch]:
    tape = Tape()
    column_reduce(tape, Columns("sum", "float16", out, size, stride, others))
    return tape.launches


def test_small() -> None:
    (one,) = launched((2, 3, 512), 8, 3 * 512)
    assert one.kernel == "col_reduce_small_1_reduce_sumfloat16"
    assert (one.grid, one.group, one.kind) == ((12, 2, 1), (32, 8, 1), "threadgroups")


def test_small_with_few_columns() -> None:
    (one,) = launched((1, 5), 31, 5)
    assert (one.grid, one.group) == ((1, 1, 1), (2, 8, 1))


def test_looped_from_32_elements() -> None:
    (one,) = launched((1, 520), 32, 520)
    assert one.kernel == "col_reduce_looped_1_32_32_reduce_sumfloat16"
    assert (one.grid, one.group, one.kind) == ((256 * 17, 1, 1), (256, 1, 1), "threads")


def test_two_passes_for_long_columns_of_small_results() -> None:
    first, second = launched((2, 64), 257, 64)
    assert first.kernel == "col_reduce_2pass_1_32_32_reduce_sumfloat16"
    assert first.grid == (512, 64, 1)
    assert second.kernel == "col_reduce_looped_1_32_32_reduce_sumfloat16"
    assert second.grid == (1024, 1, 1)
    assert len(launched((2, 64), 256, 64)) == 1
    assert len(launched((1, 32 * 1024), 257, 32 * 1024)) == 1


def test_long_columns_of_few() -> None:
    first, second = launched((1, 31), 1024, 31)
    assert first.kernel == "col_reduce_longcolumn_1_reduce_sumfloat16"
    assert (first.grid, first.group) == ((1, 1, 32), (31, 32, 1))
    assert second.grid == (256, 1, 1)
    (longer, _) = launched((1, 31), 32768, 31)
    assert longer.grid == (1, 1, 128)


def test_further_axes_stand_in_the_name() -> None:
    (two,) = launched((64,), 2, 64, others=(3,))
    (four,) = launched((64,), 2, 64, others=(2, 2, 2))
    assert "_small_2_" in two.kernel
    assert two.group[1] == 6
    assert "_small_5_" in four.kernel


def test_large() -> None:
    (one,) = launched((1 << 15, 1 << 14), 8, 1 << 29)
    assert one.kernel == "col_reduce_small_large_1_reduce_sumfloat16"


def test_booleans_are_summed_as_bytes() -> None:
    tape = Tape()
    column_reduce(tape, Columns("sum", "bool_", (1, 512), 8, 512))
    assert tape.launches[0].kernel == "col_reduce_small_1_reduce_sumint8"
