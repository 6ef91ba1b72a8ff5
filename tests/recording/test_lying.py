"""Each layout is known again by its strides, and what no layout has is said."""

from __future__ import annotations

import pytest

from pytest_applegpu.recording.lying import lying, strides_of
from pytest_applegpu.recording.seen import Array
from pytest_applegpu.views import place

STACK = (2, 3)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("layout", ["plain", "pad:8", "rows:2", "step", "neg", "bc", "heads"])
def test_a_layout_is_known_again(layout: str, *, transposed: bool) -> None:
    placement = place(layout, STACK, 5, 7, transposed=transposed)
    found = lying("a", Array((*STACK, 5, 7), "float32", strides_of(placement)))
    assert (found.layout, found.transposed, found.note) == (layout, transposed, "")
    assert (found.batch, found.rows, found.cols) == (STACK, 5, 7)


def test_strides_are_those_of_the_storage_without_taking_memory() -> None:
    placement = place("pad:8", (1000,), 10**5, 10**6, transposed=True)
    assert strides_of(placement) == (10**6 * (10**5 + 8), 1, 10**5 + 8)


@pytest.mark.parametrize(
    ("shape", "strides", "transposed"),
    [
        ((7, 1), (1, 7), True),  # a row of seven, transposed
        ((7, 1), (1, 1), False),
        ((1, 7), (7, 1), False),
        ((4, 1, 7), (7, 1, 1), True),  # an axis that was put in has a stride of 1 in MLX
        ((4, 1, 1, 7), (7, 9, 7, 1), False),
        ((1, 5, 7), (999, 7, 1), False),
    ],
)
def test_axes_of_one_element_say_little(
    shape: tuple[int, ...], strides: tuple[int, ...], *, transposed: bool
) -> None:
    found = lying("a", Array(shape, "float32", strides))
    assert (found.layout, found.transposed, found.note) == ("plain", transposed, "")


def test_what_no_layout_has_is_said() -> None:
    found = lying("b", Array((5, 7), "float32", (3, 100)))
    assert (found.layout, found.transposed) == ("plain", True)
    assert found.note == "b lies otherwise in the program: strides [3, 100]"
    assert not lying("q", Array((5, 7), "float32", (1, 5)), transposes=False).transposed
