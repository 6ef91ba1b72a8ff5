"""What is refused of quantized weights, in MLX's words."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.arrays import Shape, dense
from pytest_applegpu.routing.calls import Quantized
from pytest_applegpu.routing.launch import Refused
from pytest_applegpu.routing.quantized.refusals import packed, result_type
from pytest_applegpu.routing.quantized.rules import RULES, Rules

OLD, NEW = RULES.at("0.29.3"), RULES.at("0.32.1")


def refusal(x: Shape, weights: Quantized, rules: Rules, dtype: str = "float16") -> str:
    with pytest.raises(Refused) as caught:
        packed("op", dense(x, dtype), weights, rules)
    return str(caught.value)


def test_packed_words_and_scales() -> None:
    weights = Quantized((8, 512), 64, 3, "affine", transpose=True)
    found = packed("op", dense((1, 512), "float16"), weights, NEW)
    assert [array.shape for array in found.arrays] == [(8, 48), (8, 8), (8, 8)]
    assert (found.N, found.K) == (8, 512)


def test_weights_not_transposed_are_k_by_n() -> None:
    weights = Quantized((8, 512), 32, 4, "mxfp4", transpose=False)
    found = packed("op", dense((1, 8), "float16"), weights, NEW)
    assert [array.dtype for array in found.arrays] == ["uint32", "uint8"]
    assert (found.N, found.K) == (512, 8)


def test_a_group_longer_than_a_row() -> None:
    weights = Quantized((64, 64), 128, 8, "affine", transpose=True)
    assert refusal((1, 64), weights, NEW) == (
        "[op] The shapes of the weight and scales are incompatible based on bits and group_size. "
        "w.shape() == (64,16) and scales.shape() == (64,0) with group_size=128 and bits=8"
    )


def test_an_x_of_another_k() -> None:
    weights = Quantized((8, 512), 64, 4, "affine", transpose=True)
    assert refusal((1, 256), weights, NEW) == (
        "[op] Last dimension of first input with shape (..., 256) does not match the expanded "
        "quantized matrix (512, 8) computed from shape (8,64) with group_size=64, bits=4 and "
        "transpose=true"
    )


@pytest.mark.parametrize(("mode", "group"), [("nvfp4", 16), ("mxfp8", 32)])
def test_modes_that_came_with_0_30(mode: str, group: int) -> None:
    weights = Quantized((64, 64), group, 4, mode, transpose=True)
    assert refusal((1, 64), weights, OLD) == f"[op] Invalid quantization mode '{mode}'."
    assert packed("op", dense((1, 64), "float16"), weights, NEW).N == 64


def test_which_fault_is_found_first() -> None:
    weights = Quantized((64, 64), 128, 4, "none", transpose=True)
    assert "incompatible" in refusal((1, 64), weights, OLD)
    assert "Invalid quantization mode 'none'" in refusal((1, 64), weights, NEW)


def test_integers_are_refused() -> None:
    plain = Quantized((64, 64), 64, 4, "affine", transpose=True)
    assert refusal((1, 64), plain, NEW, "int32") == (
        "[op] Only real floating types are supported but scales.dtype() == int32 and "
        "biases.dtype() == int32."
    )
    small = Quantized((64, 64), 32, 4, "mxfp4", transpose=True)
    assert refusal((1, 64), small, NEW, "int32") == (
        "[op] Only real floating types are supported but x.dtype() == int32."
    )


def test_booleans_are_called_bool() -> None:
    plain = Quantized((64, 64), 64, 4, "affine", transpose=True)
    assert refusal((1, 64), plain, NEW, "bool_").endswith(
        "scales.dtype() == bool and biases.dtype() == bool."
    )
    small = Quantized((64, 64), 32, 4, "mxfp4", transpose=True)
    assert refusal((1, 64), small, NEW, "bool_").endswith("x.dtype() == bool.")


def test_before_0_30_integers_promote_with_scales_taken_for_bfloat16() -> None:
    small = Quantized((64, 64), 32, 4, "mxfp4", transpose=True)
    assert packed("op", dense((1, 64), "uint8"), small, OLD).N == 64
    assert refusal((1, 64), small, OLD, "complex64").endswith("x.dtype() == complex64.")


@pytest.mark.parametrize(
    ("dtype", "affine", "small"),
    [
        ("uint8", "uint8", "bfloat16"),
        ("bool_", "bool_", "bfloat16"),
        ("float16", "float16", "float32"),
        ("bfloat16", "bfloat16", "bfloat16"),
    ],
)
def test_format_of_the_result(dtype: str, affine: str, small: str) -> None:
    x = dense((1, 64), dtype)
    assert result_type(x, "affine", OLD) == affine
    assert result_type(x, "mxfp4", OLD) == small
    assert result_type(x, "mxfp4", NEW) == dtype
