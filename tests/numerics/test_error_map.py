"""The map shows what is wrong, where it is, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pytest_applegpu.numerics.error_map import MOST, chart, step
from pytest_applegpu.numerics.rounding import Array


def mask(shape: tuple[int, ...], *places: Any) -> Array:
    wrong = np.zeros(shape, bool)
    for place in places:
        wrong[place] = True
    return wrong


def test_a_small_matrix_has_a_cell_an_element() -> None:
    found = chart(mask((3, 5), (1, 2), (2, 4)))
    assert (found.rows, found.cols, found.batch) == (3, 5, ())
    assert found.cells == (".....", "..#..", "....#")


def test_tiles_fill_whole_cells() -> None:
    found = chart(mask((256, 320), np.s_[64:96, 64:128]))
    # 16 rows and 8 columns a cell.
    assert {len(line) for line in found.cells} == {40}
    assert [n for n, line in enumerate(found.cells) if "#" in line] == [4, 5]
    assert found.cells[4] == "." * 8 + "#" * 8 + "." * 24
    assert set("".join(found.cells)) == {".", "#"}


def test_the_edge_has_cells_of_what_is_left() -> None:
    found = chart(mask((33, 130), np.s_[32], np.s_[:, 128:]))
    # 4 rows and 4 columns a cell: the last row of cells is one element high, and all wrong.
    assert len(found.cells) == 9
    assert found.cells[-1] == "#" * 33
    assert found.cells[0] == "." * 32 + "#"


@pytest.mark.parametrize(
    ("wrong", "letter"), [(1, "1"), (25, "1"), (26, "1"), (64, "2"), (128, "5"), (255, "9")]
)
def test_a_cell_tells_tenths(wrong: int, letter: str) -> None:
    whole = np.zeros((256, 1024), bool)  # 16 x 16 elements a cell
    cell = np.zeros(256, bool)
    cell[:wrong] = True
    whole[:16, 16:32] = cell.reshape(16, 16)
    assert chart(whole).cells[0][:3] == f".{letter}."


def test_the_matrix_with_most_wrong_elements_is_shown() -> None:
    found = chart(mask((2, 3, 4, 4), (0, 1, 2, 2), (1, 2, 0), (1, 0, 1, 1)))
    assert found.batch == (1, 2)
    assert found.cells == ("####", "....", "....", "....")


def test_a_vector_is_a_row() -> None:
    assert chart(np.array([False, True, True])).cells == (".##",)
    assert chart(np.array(True)).cells == ("#",)


def test_no_error_has_no_map() -> None:
    with pytest.raises(ValueError, match="nothing to chart"):
        chart(np.zeros((3, 3), bool))


@given(st.integers(1, 2**31 - 1), st.sampled_from(MOST))
def test_a_step_is_the_smallest_power_of_two_that_fits(size: int, most: int) -> None:
    found = step(size, most)
    assert found.bit_count() == 1
    assert -(-size // found) <= most
    assert found == 1 or -(-size // (found // 2)) > most
    # Who knows the number of cells knows the step.
    assert step(size, -(-size // found)) == found


@given(hnp.arrays(bool, hnp.array_shapes(min_dims=2, max_dims=3, max_side=70)))
def test_a_cell_is_marked_exactly_where_something_is_wrong(wrong: Array) -> None:
    if not wrong.any():
        return
    found = chart(wrong)
    matrix = wrong[found.batch]
    counts = wrong.reshape(-1, *matrix.shape).sum(axis=(1, 2))
    assert matrix.sum() == counts.max()
    down, across = (step(size, most) for size, most in zip(matrix.shape, MOST, strict=True))
    for row, line in enumerate(found.cells):
        for col, letter in enumerate(line):
            cell = matrix[row * down : (row + 1) * down, col * across : (col + 1) * across]
            assert (letter != ".") == cell.any()
            assert (letter == "#") == cell.all()
            if letter.isdigit():
                assert int(letter) == max(1, int(10 * cell.sum()) // cell.size)
