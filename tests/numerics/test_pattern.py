from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pytest_applegpu.numerics.lines import Lines
from pytest_applegpu.numerics.pattern import read
from pytest_applegpu.numerics.rounding import Array


def mask(shape: tuple[int, ...], *places: Any) -> Array:
    wrong = np.zeros(shape, bool)
    for place in places:
        wrong[place] = True
    return wrong


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (mask((4, 5), np.s_[:]), "every element"),
        (mask((64, 64), (3, 7)), "one element at (3, 7)"),
        (mask((64, 64), (3, 7), (9, 1)), "2 elements at (3, 7), (9, 1)"),
        (mask((64, 70), np.s_[63]), "the last row (63)"),
        (mask((64, 70), np.s_[:, 69]), "the last column (69)"),
        (mask((64, 70), np.s_[5]), "row 5"),
        (mask((64, 70), np.s_[:, 0]), "column 0"),
        (mask((64, 70), np.s_[60:]), "last 4 rows (rows >= 60)"),
        (mask((64, 70), np.s_[:, 64:]), "last 6 columns (columns >= 64)"),
        (mask((64, 70), np.s_[:3]), "first 3 rows"),
        (mask((64, 70), np.s_[32:48]), "rows 32 to 47"),
        (mask((64, 70), np.s_[3::16]), "rows = 3 mod 16"),
        (mask((64, 70), np.s_[:, 1::2]), "columns = 1 mod 2"),
        (mask((64, 70), np.s_[2::5]), "rows = 2 mod 5"),
        (mask((64, 70), np.s_[3::8], np.s_[4::8]), "rows = 3 to 4 mod 8"),
        (mask((64, 70), np.s_[[2, 17, 40]]), "rows 2, 17, 40"),
        (
            mask((65, 67), np.s_[64], np.s_[:, 64:]),
            "the last row (64) and last 3 columns (columns >= 64)",
        ),
        (mask((64, 64), np.s_[16:32, 48:]), "the 16x16 tile at (16, 48)"),
        (mask((256, 256), np.s_[128:, :128]), "the 128x128 tile at (128, 0)"),
        (
            mask((128, 128), np.s_[32:64, :32], np.s_[96:, 64:96]),
            "2 of 16 tiles of 32x32, the first at (32, 0)",
        ),
        (mask((64, 64), np.s_[5:9, 10:13]), "rows 5 to 8, columns 10 to 12"),
        (mask((64, 64), np.s_[5, 10:21]), "row 5, columns 10 to 20"),
        (mask((64, 64), np.s_[5, 10:61:5]), "11 elements in row 5, columns 10 to 60"),
        (mask((3, 4, 5), np.s_[1]), "batch 1 only"),
        (mask((3, 4, 5), np.s_[:2]), "batches 0, 1 only"),
        (mask((9, 4, 5), np.s_[:6]), "6 of 9 batches"),
        (mask((2, 3, 4, 5), np.s_[1, 2]), "batch (1, 2) only"),
        (mask((3, 16, 5), np.s_[1, 15]), "batch 1 only: the last row (15)"),
        (mask((3, 16, 5), np.s_[:, 15]), "the last row (15) of every batch"),
        (mask((3, 16, 5), (1, 2, 3)), "batch 1 only: one element at (2, 3)"),
        (mask((2, 2), np.s_[1]), "the last row (1)"),
        (mask((1, 9), np.s_[0, 8]), "one element at (0, 8)"),
        (mask((9, 1), np.s_[7:]), "last 2 rows (rows >= 7)"),
    ],
)
def test_patterns_are_named(wrong: Array, says: str) -> None:
    assert read(wrong).text == says


def test_a_row_that_is_right_here_and_there_by_chance_is_still_a_row() -> None:
    wrong = mask((64, 64), np.s_[63])
    wrong[63, ::4] = False
    assert read(wrong).text == "the last row (63)"


def test_scattered_errors_are_counted() -> None:
    wrong = np.random.default_rng(1).random((64, 64)) < 0.1
    assert read(wrong).text == f"scattered ({wrong.sum()} of 4096)"


def test_scattered_errors_in_one_corner_are_placed() -> None:
    wrong = np.zeros((64, 64), bool)
    wrong[20:40, 20:40] = np.random.default_rng(1).random((20, 20)) < 0.3
    said = read(wrong).text
    assert said.startswith(f"scattered ({wrong.sum()} of 4096) within rows 2")


def test_nearly_everything_is_said_so() -> None:
    wrong = np.random.default_rng(1).random((64, 64)) < 0.97
    assert read(wrong).text == f"almost every element ({wrong.sum()} of 4096)"


def test_scattered_errors_of_several_batches_are_counted_together() -> None:
    wrong = np.random.default_rng(1).random((4, 32, 32)) < 0.05
    wrong[2:] = False
    assert read(wrong).text == f"batches 0, 1 only: scattered ({wrong.sum()} of 2048)"


@pytest.mark.parametrize(
    ("wrong", "kind", "rows", "columns"),
    [
        (mask((4, 5), np.s_[:]), "every", None, None),
        (mask((64, 70), np.s_[60:]), "lines", Lines(60, 64, 64), None),
        (mask((64, 70), np.s_[:, 64:]), "lines", None, Lines(64, 70, 70)),
        (mask((64, 70), np.s_[3::16]), "lines", Lines(3, 52, 64, 16, (3, 3)), None),
        (
            mask((64, 70), np.s_[:, [2, 17, 40]]),
            "lines",
            None,
            Lines(2, 41, 70, listed=(2, 17, 40)),
        ),
        (
            mask((65, 67), np.s_[64], np.s_[:, 64:]),
            "corner",
            Lines(64, 65, 65),
            Lines(64, 67, 67),
        ),
        (mask((64, 60), np.s_[16:32, 48:]), "tiles", Lines(16, 32, 64), Lines(48, 60, 60)),
        (mask((128, 128), np.s_[32:64, :32], np.s_[96:, 64:96]), "tiles", None, None),
        (mask((64, 64), np.s_[5:9, 10:13]), "block", Lines(5, 9, 64), Lines(10, 13, 64)),
        (mask((64, 64), (3, 7)), "elements", Lines(3, 4, 64), Lines(7, 8, 64)),
        (mask((64, 64), (3, 7), (9, 1)), "elements", None, None),
    ],
)
def test_patterns_are_told_in_numbers_too(
    wrong: Array, kind: str, rows: Lines | None, columns: Lines | None
) -> None:
    found = read(wrong)
    assert (found.kind, found.rows, found.columns) == (kind, rows, columns)


@pytest.mark.parametrize(
    ("wrong", "batches"),
    [
        (mask((3, 4, 5), np.s_[1]), ((1,),)),
        (mask((2, 3, 4, 5), np.s_[1, 2], np.s_[0, 0]), ((0, 0), (1, 2))),
        (mask((3, 16, 5), np.s_[:, 15]), ()),
        (mask((3, 16, 5), (1, 2, 3)), ((1,),)),
        (mask((4, 5), np.s_[1]), ()),
    ],
)
def test_the_matrices_that_are_hit_are_told(
    wrong: Array, batches: tuple[tuple[int, ...], ...]
) -> None:
    assert read(wrong).batches == batches


def test_a_vector_is_read_as_a_row() -> None:
    assert read(mask((70,), np.s_[64:])).text == "last 6 columns (columns >= 64)"
    assert read(np.array(True)).text == "every element"


@given(st.integers(2, 90), st.data())
def test_lines_that_are_named_are_the_lines_that_are_wrong(m: int, data: st.DataObject) -> None:
    period = data.draw(st.one_of(st.none(), st.integers(2, m)))
    first = data.draw(st.integers(0, m - 1))
    rows = np.arange(first, m) if period is None else np.arange(first % period, m, period)
    lines = read(mask((m, 7), rows)).rows
    told = set(range(m)) if lines is None else set(_rows_of(lines))
    assert told == set(rows.tolist())


def _rows_of(lines: Lines) -> list[int]:
    if lines.listed:
        return list(lines.listed)
    rows = range(lines.start, lines.stop)
    low, high = lines.remainders
    return [row for row in rows if lines.period is None or low <= row % lines.period <= high]


@given(hnp.arrays(bool, hnp.array_shapes(min_dims=2, max_dims=4, max_side=40)))
def test_every_mask_has_a_short_name(wrong: Array) -> None:
    if wrong.any():
        assert 0 < len(read(wrong).text) < 120


@given(st.integers(1, 64), st.integers(1, 64), st.data())
def test_a_single_element_is_always_placed(m: int, n: int, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, m - 1)), data.draw(st.integers(0, n - 1))
    expected = "every element" if m == n == 1 else f"one element at {place}"
    assert read(mask((m, n), place)).text == expected


def test_no_error_has_no_pattern() -> None:
    with pytest.raises(ValueError, match="no element is wrong"):
        read(np.zeros((3, 3), bool))
