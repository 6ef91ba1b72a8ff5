"""Shapes that operands have together, and what MLX says where they have none."""

import pytest

from pytest_applegpu.routing.arrays import dense
from pytest_applegpu.routing.broadcasting import batches_together, into, together
from pytest_applegpu.routing.launch import Refused


def test_shapes_meet_from_the_end() -> None:
    assert together((5, 1), (2, 1, 3)) == (2, 5, 3)
    assert together((0, 4), (1, 4)) == (0, 4)
    with pytest.raises(Refused, match=r"\[broadcast_shapes\] Shapes \(2,3\) and \(4\) cannot"):
        together((2, 3), (4,))


def test_a_target_shape_is_not_exceeded() -> None:
    assert into(dense((3,), "float32"), (2, 3)).strides == (0, 1)
    with pytest.raises(Refused, match=r"Cannot broadcast array of shape \(3\) into shape \(2,1\)"):
        into(dense((3,), "float32"), (2, 1))


def test_only_batch_axes_meet_but_every_axis_of_one_gets_stride_0() -> None:
    a, b = batches_together(dense((1, 7), "float32"), dense((4, 7, 3), "float32"))
    assert (a.shape, a.strides) == ((4, 1, 7), (0, 0, 1))
    assert (b.shape, b.strides) == ((4, 7, 3), (21, 3, 1))


def test_two_matrices_stay_as_they_are() -> None:
    a, b = dense((1, 7), "float32"), dense((7, 3), "float32")
    assert batches_together(a, b) == (a, b)
