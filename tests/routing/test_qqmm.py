"""Order of decisions of qqmm."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_applegpu.routing.arrays import Shape
from pytest_applegpu.routing.calls import QQMM, Quantized
from pytest_applegpu.routing.launch import Launch, Refused, Tape
from pytest_applegpu.routing.layouts import operand
from pytest_applegpu.routing.quantized.qqmm import qqmm
from pytest_applegpu.routing.target import Target


def launched(
    x: Shape,
    w: Shape = (512, 512),
    *,
    ready: bool = True,
    version: str = "0.32.1",
    mode: str = "mxfp8",
    layout: str | None = None,
    dtype: str = "float16",
    transpose: bool = True,
) -> list[Launch]:
    tape = Tape()
    bits, group = {"mxfp8": (8, 32), "mxfp4": (4, 32), "nvfp4": (4, 16)}.get(mode, (4, 32))
    weights = Quantized(w, group, bits, mode, transpose)
    target = Target("applegpu_g17s", nax=True, tf32=True, version=version)
    qqmm(QQMM(operand(x, dtype, layout, transpose=False), weights, ready), target, tape)
    return tape.launches


def labels(*args: Any, **more: Any) -> list[str]:
    return [one.label for one in launched(*args, **more)]


def refusal(*args: Any, **more: Any) -> str:
    with pytest.raises(Refused) as caught:
        launched(*args, **more)
    return str(caught.value)


def test_always_a_vector_kernel() -> None:
    assert labels((1000, 512)) == ["quantize_dequantize", "qmv_wide"]
    assert launched((1000, 512))[-1].grid == (200, 128, 1)


def test_weights_that_are_not_packed_come_first() -> None:
    assert labels((1, 512), ready=False) == ["quantize", "quantize_dequantize", "qmv_fast"]


def test_leading_axes_are_rows() -> None:
    assert launched((2, 3, 512))[-1].grid == launched((6, 512))[-1].grid


def test_a_vector_is_one_row() -> None:
    assert labels((512,)) == ["quantize_dequantize", "qmv_fast"]


def test_x_with_gaps_is_copied() -> None:
    assert labels((2, 512), layout="pad:8") == ["copy", "quantize_dequantize", "qmv_wide"]


def test_an_empty_x() -> None:
    assert launched((0, 512)) == []


def test_before_0_32_1_only_one_row_by_packed_weights() -> None:
    assert labels((1, 512), version="0.30.6") == ["quantize_dequantize", "qmv_fast"]
    for x, ready in (((2, 512), True), ((1, 512), False)):
        assert refusal(x, ready=ready, version="0.31.2") == "[QQMatmul] NYI for the general case"


def test_modes() -> None:
    assert refusal((1, 512), mode="mxfp4", version="0.30.6") == (
        "[qqmm] Only 'nvfp4' and 'mxfp8' quantization modes are supported but 'mxfp4' was provided."
    )
    assert labels((1, 512), mode="mxfp4") == ["quantize_dequantize", "qmv_fast"]
    assert refusal((1, 512), mode="int4") == "[qqmm] Invalid quantization mode 'int4'."


def test_there_is_no_such_operation_before_0_30_6() -> None:
    assert refusal((1, 512), version="0.30.0") == "module 'mlx.core' has no attribute 'qqmm'"


def test_shapes() -> None:
    assert refusal((1, 256), ready=False) == (
        "[qqmm] Last dimension of first input with shape (1,256) must match last dimension of "
        "second input with shape (512,512)."
    )
    assert refusal((1, 256)).startswith(
        "[qqmm] Last dimension of first input with shape (..., 256)"
    )
    assert refusal((2, 1, 512), (2, 512, 512)) == (
        "[qqmm] Only 2D inputs are supported but x.ndim() == 3 and w.ndim() == 3."
    )


def test_integers() -> None:
    said = "[qqmm] Only real floating types except float64 are supported but"
    assert refusal((1, 512), dtype="int32") == f"{said} first argument dtype == int32."
    assert (
        refusal((1, 512), dtype="int32", ready=False) == f"{said} second argument dtype == int32."
    )


def test_booleans_are_called_bool() -> None:
    assert refusal((1, 512), dtype="bool_").endswith("first argument dtype == bool.")


def test_groups_are_looked_at_before_formats() -> None:
    assert "are incompatible" in refusal((1, 16), (8, 16), dtype="int32")


@pytest.mark.parametrize("version", ["0.31.2", "0.32.1"])
def test_weights_of_packed_words_need_scales(version: str) -> None:
    assert refusal((1, 512), dtype="uint32", ready=False, version=version) == (
        "[qqmm] Scales must be provided if second argument is quantized."
    )


def test_transpose_is_no_parameter() -> None:
    assert launched((5, 512), (64, 512), transpose=False) == launched((5, 512), (64, 512))


def test_names_of_affine_weights_say_nothing_of_a_global_scale() -> None:
    weights, rounded, _ = launched((1, 512), ready=False, mode="affine")
    assert weights.kernel == "affine_quantize_float16_t_gs_32_b_4"
    assert rounded.kernel == "affine_quantize_dequantize_float16_t_gs_32_b_4_hgs_false"
    assert launched((1, 512), ready=False)[0].kernel.endswith("_hgs_false")
