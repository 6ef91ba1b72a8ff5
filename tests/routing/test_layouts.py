"""Strides of operands that are views."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.arrays import Shape
from pytest_applegpu.routing.layouts import operand
from pytest_applegpu.routing.placements import placed
from pytest_applegpu.views import Placement


@pytest.mark.parametrize(
    ("shape", "transpose", "strides"),
    [
        ((300, 2), False, (4, 2)),
        ((300, 1), False, (2, 1)),
        ((1,), False, (1,)),
        ((1, 300), True, (1, 2)),
    ],
)
def test_a_step_along_one_element_is_1(shape: Shape, transpose: bool, strides: Shape) -> None:
    assert operand(shape, "float16", "step", transpose=transpose).strides == strides


@pytest.mark.parametrize(
    ("span", "size", "stride"),
    [([0, 8, 2], 4, 2), ([0, 2, 2], 1, 1), ([-1, -9, -1], 8, -1), ([-1, -2, -1], 1, 1)],
)
def test_a_slice_of_one_element_has_step_1(span: list[int], size: int, stride: int) -> None:
    view = placed(Placement((3, 8), (("slice", [[0, 3, 1], span]),)), "float16")
    assert (view.shape, view.strides) == ((3, size), (8, stride))


def test_slices_without_elements_are_dense() -> None:
    assert operand((0, 64), "float16", "step", transpose=False).strides == (64, 1)
    assert operand((64, 0), "float16", "tpad:8", transpose=True).strides == (1, 64)
    view = placed(Placement((3, 8), (("slice", [[0, 3, 1], [5, 5, 2]]),)), "float16")
    assert (view.shape, view.strides, view.data_size) == ((3, 0), (0, 1), 0)
