"""Which choices has each operation?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pytest_applegpu.cases.choices import (
    attention,
    convolution,
    dense,
    gathered,
    layers,
    masked,
    packing,
    quantized,
    segmented,
)
from pytest_applegpu.cases.choices.choices import Choices

CHOICES: Final[dict[str, Callable[[tuple[str, ...]], Choices]]] = {
    "matmul": dense.matmul,
    "addmm": dense.addmm,
    "gather_mm": gathered.gather_mm,
    "block_masked_mm": masked.block_masked_mm,
    "segmented_mm": segmented.segmented_mm,
    "quantized_matmul": quantized.quantized_matmul,
    "gather_qmm": quantized.gather_qmm,
    "sdpa": attention.sdpa,
    "conv1d": convolution.conv1d,
    "conv2d": convolution.conv2d,
    "quantize": packing.quantize,
    "dequantize": packing.dequantize,
    "qqmm": packing.qqmm,
    "linear": layers.linear,
    "quantized_linear": layers.quantized_linear,
    "multi_head_attention": layers.multi_head_attention,
}
"""Choices of each operation, made for the names of some formats."""
