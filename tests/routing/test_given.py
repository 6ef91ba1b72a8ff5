"""What of an operand's layout a kernel is told, because its shape does not tell it."""

import pytest

from pytest_applegpu.routing.arrays import Array, broadcast_to, dense, transposed
from pytest_applegpu.routing.dense.given import given
from pytest_applegpu.routing.dense.product import product
from pytest_applegpu.routing.launch import Tape
from pytest_applegpu.routing.reshape import flattened


@pytest.mark.parametrize(
    ("array", "is_transposed"),
    [
        (dense((5, 7), "float16"), False),
        (transposed(dense((5, 7), "float16")), True),
        (dense((5, 1), "float16"), False),
        (transposed(dense((5, 1), "float16")), True),
        (dense((7,), "float16"), False),
    ],
)
def test_transposed_views(array: Array, *, is_transposed: bool) -> None:
    seen = given(array, array)
    assert (seen.a_transposed, seen.b_transposed) == (is_transposed, is_transposed)


def test_a_copy_of_transposed_rows_has_another_leading_dimension() -> None:
    a = transposed(dense((4, 64, 32), "float16"))
    tape = Tape()
    one = product(tape, flattened(tape, a), dense((64, 48), "float16"))
    assert given(a, one.b.array).params(one) == {"M": 128, "lda": 64}


def test_batch_strides_and_swizzle_are_said_unless_zero() -> None:
    a = broadcast_to(dense((8, 8), "float16"), (3, 8, 8))
    b = dense((3, 8, 9), "float16")
    one = product(Tape(), a, b)
    assert given(a, b).params(one, 2) == {"bsb": 72, "swizzle_log": 2}
