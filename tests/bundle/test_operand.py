"""Numbers and views in a program's own text mean what they mean here."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pytest_applegpu.bundle.operand import Held, literal, view_lines
from pytest_applegpu.views import LAYOUTS, Placement, place, store, view

NAMES = {"np": np, "nan": np.nan, "inf": np.inf}


def made(text: str) -> np.ndarray:
    """Make the array that an expression of the program makes."""
    array: np.ndarray = eval(text, dict(NAMES))  # noqa: S307 - the text is ours
    return array


@given(
    arrays.arrays(
        st.sampled_from(["float32", "float16", "float64", "uint16", "uint32", "bool"]),
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=7),
    )
)
def test_a_literal_reads_back_the_same(array: np.ndarray) -> None:
    again = made(literal(array))
    assert (again.dtype, again.shape) == (array.dtype, array.shape)
    assert np.array_equal(again, array, equal_nan=array.dtype.kind == "f")
    assert (
        array.dtype.kind != "f"
        or np.array_equal(np.signbit(again), np.signbit(array))
        or (np.isnan(array).any())
    )


def test_complex_numbers_keep_a_nan_in_its_part() -> None:
    array = np.array([[1 + 2j, complex(np.nan, 3)], [complex(0, -np.inf), -0.1j]], np.complex64)
    again = made(literal(array))
    assert (again.dtype, again.shape) == (array.dtype, array.shape)
    assert again.view(np.float32).tobytes() == array.view(np.float32).tobytes()


def test_every_number_stands_there_however_many() -> None:
    array = np.arange(2000, dtype=np.float32)
    assert "..." not in literal(array)
    assert np.array_equal(made(literal(array)), array)


def test_bfloat16_is_told_by_its_bits() -> None:
    held = Held("a", "bfloat16", np.array([1.0, -2.0]).astype(ml_dtypes.bfloat16))
    assert held.raw.tolist() == [0x3F80, 0xC000]


def _placements() -> list[Placement]:
    found = []
    for layout in LAYOUTS:
        numbered = f"{layout}:3" if layout in {"pad", "rows", "off"} else layout
        batch, rows = ((), 1) if layout == "vec" else ((2, 3), 4)
        found += [
            place(numbered, batch, rows, 5, transposed=transposed) for transposed in (False, True)
        ]
    return found


@pytest.mark.parametrize("placement", _placements(), ids=str)
def test_views_are_those_of_the_case(placement: Placement) -> None:
    storage = np.arange(np.prod(placement.storage)).reshape(placement.storage)
    names: dict[str, Any] = {"x": storage, "lib": np}
    exec("\n".join(view_lines(Held("a", "float32", storage, placement.steps))), names)  # noqa: S102
    assert np.array_equal(names["x"], view(storage, placement.steps))


def test_whole_axes_are_not_spelled_out() -> None:
    placement = place("pad:3", (), 4, 5, transposed=True)
    held = Held("a", "float32", store(placement, np.ones((5, 4), np.float32).T), placement.steps)
    assert list(view_lines(held)) == ["x = x[:, 1:5]", "x = lib.transpose(x, (1, 0))"]
