"""Which format two operands have together, and how an array gets it."""

import pytest

from pytest_applegpu.routing.arrays import Array, broadcast_to, dense
from pytest_applegpu.routing.formats import converted, promoted
from pytest_applegpu.routing.launch import Tape


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("bool_", "bool_", "bool_"),
        ("bool_", "uint8", "uint8"),
        ("uint8", "int8", "int16"),
        ("uint8", "int32", "int32"),
        ("uint32", "int8", "int64"),
        ("uint64", "int8", "float32"),
        ("int64", "float16", "float16"),
        ("uint64", "bfloat16", "bfloat16"),
        ("float16", "bfloat16", "float32"),
        ("float16", "float32", "float32"),
        ("complex64", "float16", "complex64"),
        ("complex64", "bool_", "complex64"),
    ],
)
def test_promotion(one: str, other: str, both: str) -> None:
    assert promoted(one, other) == promoted(other, one) == both


@pytest.mark.parametrize(
    ("array", "kernels"),
    [
        (dense((4, 4), "float32"), []),
        (dense((4, 4), "float16"), ["v_copyfloat16float32"]),
        (dense((256, 256), "float16"), ["vn_copyfloat16float32"]),
        (broadcast_to(dense((4,), "float16"), (4, 4)), ["v_copyfloat16float32"]),
        (Array((4, 4), (8, 1), "float16", data_size=28), ["g2_copyfloat16float32"]),
        (dense((0, 4), "float16"), []),
    ],
)
def test_conversion(array: Array, kernels: list[str]) -> None:
    tape = Tape()
    out = converted(tape, array, "float32")
    assert [launch.kernel for launch in tape.launches] == kernels
    assert (out.shape, out.dtype) == (array.shape, "float32")
