"""Kernels that quantize operands."""

from __future__ import annotations

from pytest_applegpu.routing.arrays import dense
from pytest_applegpu.routing.calls import Quantized
from pytest_applegpu.routing.quantized.quantize import quantize, quantize_dequantize
from pytest_applegpu.routing.quantized.rules import RULES

NEW = RULES.at("0.32.1")
MXFP8 = Quantized((512, 512), 32, 8, "mxfp8", transpose=True)


def test_a_thread_for_each_element() -> None:
    one = quantize(NEW, dense((512, 512), "bfloat16"), MXFP8)
    assert one.kernel == "mxfp8_quantize_bfloat16_t_gs_32_b_8_hgs_false"
    assert (one.grid, one.group, one.kind) == ((262144, 1, 1), (1024, 1, 1), "threads")
    assert (one.role, one.label) == ("quantize", "quantize")


def test_a_small_operand_is_one_group() -> None:
    one = quantize_dequantize(NEW, dense((1, 64), "float16"), MXFP8)
    assert one.kernel == "mxfp8_quantize_dequantize_float16_t_gs_32_b_8_hgs_false"
    assert one.group == (64, 1, 1)


def test_names_before_scales_of_a_whole_operand() -> None:
    one = quantize_dequantize(RULES.at("0.30.6"), dense((1, 64), "float16"), MXFP8)
    assert one.kernel == "mxfp8_quantize_dequantize_float16_t_gs_32_b_8"


def test_a_group_longer_than_a_simd_group_is_shared() -> None:
    wide = Quantized((4, 128), 64, 4, "affine", transpose=True)
    assert quantize(NEW, dense((4, 128), "float32"), wide).grid == (256, 1, 1)


def test_more_elements_than_32_bits_make_a_grid_of_two_sides() -> None:
    one = quantize(NEW, dense((1 << 17, 1 << 16), "float16"), MXFP8)
    assert one.grid == (1 << 17, 1 << 16, 1)
