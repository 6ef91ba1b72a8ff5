from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

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
    assert read(wrong) == says


def test_a_row_that_is_right_here_and_there_by_chance_is_still_a_row() -> None:
    wrong = mask((64, 64), np.s_[63])
    wrong[63, ::4] = False
    assert read(wrong) == "the last row (63)"


def test_scattered_errors_are_counted() -> None:
    wrong = np.random.default_rng(1).random((64, 64)) < 0.1
    assert read(wrong) == f"scattered ({wrong.sum()} of 4096)"


def test_scattered_errors_in_one_corner_are_placed() -> None:
    wrong = np.zeros((64, 64), bool)
    wrong[20:40, 20:40] = np.random.default_rng(1).random((20, 20)) < 0.3
    said = read(wrong)
    assert said.startswith(f"scattered ({wrong.sum()} of 4096) within rows 2")


def test_nearly_everything_is_said_so() -> None:
    wrong = np.random.default_rng(1).random((64, 64)) < 0.97
    assert read(wrong) == f"almost every element ({wrong.sum()} of 4096)"


def test_scattered_errors_of_several_batches_are_counted_together() -> None:
    wrong = np.random.default_rng(1).random((4, 32, 32)) < 0.05
    wrong[2:] = False
    assert read(wrong) == f"batches 0, 1 only: scattered ({wrong.sum()} of 2048)"


@given(hnp.arrays(bool, hnp.array_shapes(min_dims=2, max_dims=4, max_side=40)))
def test_every_mask_has_a_short_name(wrong: Array) -> None:
    if wrong.any():
        assert 0 < len(read(wrong)) < 120


@given(st.integers(1, 64), st.integers(1, 64), st.data())
def test_a_single_element_is_always_placed(m: int, n: int, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, m - 1)), data.draw(st.integers(0, n - 1))
    expected = "every element" if m == n == 1 else f"one element at {place}"
    assert read(mask((m, n), place)) == expected


def test_no_error_has_no_pattern() -> None:
    with pytest.raises(ValueError, match="no element is wrong"):
        read(np.zeros((3, 3), bool))
