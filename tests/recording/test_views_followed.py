"""Strides of views follow as NumPy has them, and those of everything else are forgotten."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.recording.child import views
from pytest_applegpu.recording.child.views import Views, contiguous

shapes = st.lists(st.integers(1, 4), min_size=2, max_size=4).map(tuple)


class Held(np.ndarray):
    """An array that can be referred to weakly, and known again."""


def held(shape: tuple[int, ...]) -> Held:
    return np.zeros(shape, np.int8).view(Held)


def alike(array: np.ndarray, strides: tuple[int, ...]) -> bool:
    """Tell whether strides are an array's own, along axes of more than one."""
    axes = zip(array.shape, array.strides, strides, strict=True)
    return all(own == said for size, own, said in axes if size > 1)


def axis_of(shape: tuple[int, ...]) -> st.SearchStrategy[int]:
    return st.integers(-len(shape), len(shape) - 1)


def word(size: int) -> st.SearchStrategy[Any]:
    numbers = st.integers(-size, size - 1)
    steps = st.sampled_from([None, 1, 2, -1])
    return numbers | st.builds(slice, st.none(), st.none(), steps) | st.just(slice(0, size))


def index(shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
    """Draw words for the first axes, None among them, or for the last after `...`."""
    whole = st.tuples(*map(word, shape))
    return st.one_of(
        whole,
        st.integers(0, len(shape)).flatmap(lambda n: whole.map(lambda words: words[:n])),
        st.integers(0, len(shape)).flatmap(lambda n: whole.map(lambda words: (..., *words[n:]))),
        whole.map(lambda words: (None, *words)),
        word(shape[0]),
    )


def drawn(data: st.DataObject, array: np.ndarray) -> tuple[np.ndarray, tuple[int, ...] | None]:
    """Take a view of `array`; return it with the strides that its rule gives."""
    shape, strides = array.shape, array.strides
    name = data.draw(st.sampled_from(["transpose", "swap", "move", "expand", "broadcast", "index"]))
    if name == "transpose":
        order = data.draw(st.permutations(range(array.ndim)))
        return array.transpose(order), views.transposed(strides, shape, *order)
    if name == "expand":
        where = data.draw(st.integers(-array.ndim - 1, array.ndim))
        return np.expand_dims(array, where), views.expanded(strides, shape, where)
    if name == "broadcast":
        wanted = (3, *(size if size > 1 else 2 for size in shape))
        return np.broadcast_to(array, wanted), views.broadcast(strides, shape, wanted)
    if name == "index":
        words = data.draw(index(shape))
        return array[words], views.indexed(strides, shape, words)
    first, second = data.draw(axis_of(shape)), data.draw(axis_of(shape))
    if name == "swap":
        return array.swapaxes(first, second), views.swapped(strides, shape, first, second)
    return np.moveaxis(array, first, second), views.moved(strides, shape, first, second)


@given(shapes, st.data())
def test_strides_of_views_are_those_of_numpy(shape: tuple[int, ...], data: st.DataObject) -> None:
    array = np.zeros(shape, np.int8)
    for _ in range(2):
        if array.ndim < 2:
            return
        array, strides = drawn(data, array)
        assert strides is not None
        assert alike(array, strides)


@given(shapes)
def test_arrays_that_no_view_made_are_row_contiguous(shape: tuple[int, ...]) -> None:
    assert alike(np.zeros(shape, np.int8), contiguous(shape))


def test_axes_of_one_are_squeezed() -> None:
    assert views.squeezed((8, 8, 2, 1), (3, 1, 4, 1)) == (8, 2)
    assert views.squeezed((8, 8, 2, 1), (3, 1, 4, 1), -1) == (8, 8, 2)
    assert views.squeezed((8, 8, 2, 1), (3, 1, 4, 1), [1, 3]) == (8, 2)
    assert views.expanded((8, 1), (3, 8), (-2, -3)) == (8, 1, 1, 1)


@pytest.mark.parametrize("words", [[0, 1], True, np.zeros(3, bool), (slice(None), [0])])
def test_what_is_gathered_is_no_view(words: Any) -> None:
    assert views.indexed((4, 1), (3, 4), words) is None


def followed(found: Views) -> Callable[..., Any]:
    return found.follow(lambda array: array.T, views.reversed_axes)


def test_a_view_is_known_while_it_lives() -> None:
    found = Views()
    array = held((3, 4))
    view = followed(found)(array)
    assert (found.strides(array), found.strides(view)) == ((4, 1), (1, 4))
    assert followed(found)(view) is not array
    del view
    gc.collect()
    assert not found._known


def test_what_is_changed_in_place_is_a_new_array() -> None:
    found = Views()
    view = followed(found)(held((3, 4)))
    found.changing(lambda array, value: array.fill(value))(view, 1)
    assert found.strides(view) == (3, 1)


def test_a_rule_that_fails_is_no_error_of_the_program() -> None:
    found = Views()

    def fails(*_: Any) -> tuple[int, ...]:
        raise TypeError

    assert found.follow(lambda array: array.T, fails)(held((3, 4))).shape == (4, 3)
