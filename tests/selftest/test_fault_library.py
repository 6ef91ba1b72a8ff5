"""Numbers pass between a library and NumPy unchanged, and memory is what it is."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.selftest.faults.library import Library, Memory, bfloat16_words, dense


@given(st.lists(st.floats(width=32), min_size=1))
def test_bfloat16_is_rounded_to_nearest(values: list[float]) -> None:
    numbers = np.array(values, np.float32)
    ours = bfloat16_words(numbers).view(ml_dtypes.bfloat16).astype(np.float32)
    with np.errstate(all="ignore"):
        theirs = numbers.astype(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16", "complex64", "float64"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 3)])
def test_numbers_come_back_as_they_went(core: Any, name: str, shape: tuple[int, ...]) -> None:
    kind = {"bfloat16": "float32"}.get(name, name)
    numbers = np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape).astype(kind)
    there = Library(core).array(numbers, name)
    assert (Library.format(there), there.shape) == (name, shape)
    np.testing.assert_array_equal(Library(core).numbers(there), numbers)


def test_a_copy_of_the_numbers_is_one(core: Any) -> None:
    there = core.array(np.ones((2, 2), np.float32))
    Library(core).numbers(there)[0] = 7
    assert there.values.tolist() == [[1, 1], [1, 1]]


def sliced(core: Any, index: Any) -> tuple[Memory, Any]:
    """Slice a library's array of 4 x 6 and say where the part lies."""
    kept = Library(core)
    core.array.__getitem__ = lambda array, index: kept.sliced(array, index)  # noqa: PLW0108
    part = core.array(np.arange(24, dtype=np.float32).reshape(4, 6))[index]
    return kept.memory(part), part


@pytest.mark.parametrize(
    ("index", "start", "strides"),
    [
        (np.s_[:, 1:5], 1, (6, 1)),
        (np.s_[2:], 12, (6, 1)),
        (np.s_[::-1], 18, (-6, 1)),
        (np.s_[:, ::2], 0, (6, 2)),
    ],
)
def test_a_slice_is_found_in_what_it_is_a_part_of(
    core: Any, index: Any, start: int, strides: tuple[int, ...]
) -> None:
    memory, part = sliced(core, index)
    assert (memory.start, memory.strides, memory.buffer.size) == (start, strides, 24)
    np.testing.assert_array_equal(memory.read(), part.values)


def test_what_was_never_sliced_lies_in_its_own_reach(core: Any) -> None:
    held = core.array(np.arange(6, dtype=np.float32).reshape(2, 3))
    turned = held.seen(held.values.T[::-1])
    memory = Library(core).memory(turned)
    assert (memory.start, memory.strides, memory.buffer.size) == (2, (-1, 3), 6)
    np.testing.assert_array_equal(memory.read(), turned.values)


def test_beyond_the_buffer_there_is_nothing() -> None:
    memory = Memory(np.arange(1.0, 4), 1, (4,), (1,))
    assert memory.read().tolist() == [2, 3, 0, 0]


def test_dense_strides() -> None:
    assert dense((2, 3, 4)) == (12, 4, 1)
