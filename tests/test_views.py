"""Storages, the views of them, and the guards round the views."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.views import LAYOUTS, Placement, parse_layout, place, place_vector, store, view

WITH_BATCH = ["plain", "pad:3", "pad:1", "rows:2", "off:1", "step", "neg", "axis", "bc", "heads"]


@given(
    layout=st.sampled_from(WITH_BATCH),
    batch=st.lists(st.integers(1, 3), min_size=1, max_size=2).map(tuple),
    rows=st.integers(0, 5),
    cols=st.integers(0, 5),
    transposed=st.booleans(),
)
def test_the_view_of_a_storage_is_the_operand(
    layout: str, batch: tuple[int, ...], rows: int, cols: int, transposed: bool
) -> None:
    operand = np.random.default_rng(0).standard_normal((*batch, rows, cols)).astype(np.float32)
    if layout == "bc":
        operand = np.broadcast_to(operand[(0,) * len(batch)], operand.shape)
    placement = place(layout, batch, rows, cols, transposed=transposed)
    storage = store(placement, operand)
    assert storage.shape == placement.storage
    np.testing.assert_array_equal(view(storage, placement.steps), operand)


@pytest.mark.parametrize("layout", ["pad:3", "rows:2", "off:4", "step"])
def test_guards_of_nan_lie_round_a_view(layout: str) -> None:
    placement = place(layout, (2,), 3, 4, transposed=False)
    storage = store(placement, np.ones((2, 3, 4), np.float32))
    assert np.isnan(storage).sum() == storage.size - 24 > 0


def test_a_stride_of_zero_stores_one_matrix() -> None:
    placement = place("bc", (4, 5), 2, 3, transposed=True)
    assert placement == Placement(
        (3, 2), (("broadcast", [4, 5, 3, 2]), ("transpose", [0, 1, 3, 2]))
    )


@given(st.text())
def test_any_text_is_a_layout_or_a_value_error(text: str) -> None:
    try:
        name, number = parse_layout(text)
    except ValueError as error:
        said = str(error)
        assert said
    else:
        assert name in LAYOUTS
        assert number >= 0


@pytest.mark.parametrize("layout", ["plain", "pad:3", "rows:2", "off:1", "step", "neg", "axis"])
@pytest.mark.parametrize("shape", [(7,), (1,), (0,), (3, 2)])
def test_vectors_lie_in_memory_as_their_layout_says(layout: str, shape: tuple[int, ...]) -> None:
    placement = place_vector(layout, shape)
    values = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
    storage = store(placement, values)
    np.testing.assert_array_equal(view(storage, placement.steps), values)
    if layout not in {"plain", "neg", "axis"} and values.size:
        assert np.isnan(storage).any()


@pytest.mark.parametrize(
    ("layout", "shape", "said"),
    [("vec", (7,), "layout vec is for"), ("step", (), "needs an axis"), ("bc", (7,), "batch")],
)
def test_layouts_that_no_vector_has_are_refused(
    layout: str, shape: tuple[int, ...], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        place_vector(layout, shape)
