"""How c meets the product: broadcast without a copy, its strides kept."""

from pytest_applegpu.routing.arrays import Array, Shape, dense
from pytest_applegpu.routing.calls import AddMM
from pytest_applegpu.routing.checks import as_matrices
from pytest_applegpu.routing.dense.addend import addend, adjusted
from pytest_applegpu.routing.launch import Tape


def met(c: Shape, a: Shape, b: Shape) -> tuple[Array, Array, Array]:
    one, other, third = (dense(x, "float32") for x in (a, b, c))
    left, right = as_matrices("addmm", one, other)
    return addend(Tape(), AddMM(one, other, third, 1.0, 1.0), left, right, third)


def test_a_vector_is_added_to_every_row_of_a_flattened_batch() -> None:
    a, b, c = met((3,), (2, 5, 7), (7, 3))
    assert (a.shape, b.shape, c.shape, c.strides) == ((10, 7), (7, 3), (10, 3), (0, 1))


def test_a_matrix_keeps_the_batch() -> None:
    a, b, c = met((5, 3), (2, 5, 7), (7, 3))
    assert (a.shape, b.shape) == ((2, 5, 7), (2, 7, 3))
    assert (c.shape, c.strides) == ((2, 5, 3), (0, 3, 1))


def test_vectors_get_their_axes_in_c_as_well() -> None:
    assert met((3,), (7,), (7, 3))[2].shape == (1, 3)
    assert met((5,), (5, 7), (7,))[2].shape == (5, 1)
    assert met((), (7,), (7,))[2].shape == (1, 1)
    assert met((2, 3), (7,), (2, 7, 3))[2].shape == (2, 1, 3)


def test_axes_of_vectors_go_from_the_result() -> None:
    assert adjusted((2, 1, 3), 1, 3) == (2, 3)
    assert adjusted((2, 5, 1), 3, 1) == (2, 5)
    assert adjusted((1, 1), 1, 1) == ()
    assert adjusted((5, 3), 2, 2) == (5, 3)
