"""What MLX refuses before it routes, in its words."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.arrays import Array, dense
from pytest_applegpu.routing.checks import as_matrices, as_real, inner_sizes, shape_words
from pytest_applegpu.routing.launch import Refused, Tape


def test_a_vector_on_the_left_is_a_row_and_on_the_right_a_column() -> None:
    a, b = as_matrices("op", dense((6,), "float32"), Array((6,), (2,), "float32", data_size=11))
    assert (a.shape, a.strides) == ((1, 6), (1, 1))
    assert (b.shape, b.strides) == ((6, 1), (2, 1))


def test_numbers_are_no_operands() -> None:
    with pytest.raises(Refused, match=r"^\[op\] Got 0 dimension input\. Inputs must have"):
        as_matrices("op", dense((), "float32"), dense((6,), "float32"))


def test_sizes_along_k_must_agree() -> None:
    with pytest.raises(Refused, match=r"first input with shape \(2,3\) must match .* \(4,5\)\.$"):
        inner_sizes("op", dense((2, 3), "float32"), dense((4, 5), "float32"))


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("int32", "int32", "int32 and int32 were provided which results in int32,"),
        ("bool_", "uint8", "bool and uint8 were provided which results in uint8,"),
        ("complex64", "float16", "complex64 and float16 were provided which results in complex64,"),
    ],
)
def test_only_real_floating_point_passes(one: str, other: str, words: str) -> None:
    with pytest.raises(Refused) as refused:
        as_real(Tape(), "op", dense((2, 2), one), dense((2, 2), other))
    assert str(refused.value) == (
        f"[op] Only real floating point types are supported but {words} "
        "which is not a real floating point type."
    )


def test_operands_are_converted_to_their_common_format() -> None:
    tape = Tape()
    a, b = as_real(tape, "op", dense((2, 2), "float16"), dense((2, 2), "float32"))
    assert a.dtype == b.dtype == "float32"
    assert [one.kernel for one in tape.launches] == ["v_copyfloat16float32"]


@pytest.mark.parametrize(("shape", "words"), [((), "()"), ((3,), "(3)"), ((2, 3), "(2,3)")])
def test_shapes_are_written_without_spaces(shape: tuple[int, ...], words: str) -> None:
    assert shape_words(shape) == words
