"""Which kernels bring operands into a quantized format before a product?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.routing.arrays import Array
from pytest_applegpu.routing.calls import Quantized
from pytest_applegpu.routing.copies import MOST_THREADS, UINT32_MAX, grid_2d
from pytest_applegpu.routing.launch import Launch, Triple
from pytest_applegpu.routing.quantized.product import TYPE_NAMES
from pytest_applegpu.routing.quantized.rules import Rules

_NO_GLOBAL_SCALE: Final = "_hgs_false"


def quantize(rules: Rules, array: Array, weights: Quantized) -> Launch:
    """Return the launch that packs row-major `array`."""
    return _launch("quantize", array, weights, _global_scale(rules, weights))


def quantize_dequantize(rules: Rules, array: Array, weights: Quantized) -> Launch:
    """Return the launch that rounds row-major `array` to what the mode can hold."""
    scale = _NO_GLOBAL_SCALE if rules.qqmm_general else ""
    return _launch("quantize_dequantize", array, weights, scale)


def _global_scale(rules: Rules, weights: Quantized) -> str:
    """Return what the name says of a scale for all groups: nothing in the mode with biases."""
    return _NO_GLOBAL_SCALE if rules.qqmm_general and weights.mode != "affine" else ""


def _launch(family: str, array: Array, weights: Quantized, scale: str) -> Launch:
    grid = _grid(array, max(weights.group_size // 32, 1))
    group = (min(grid[0] * grid[1], MOST_THREADS), 1, 1)
    stem = f"{weights.mode}_{family}_{TYPE_NAMES[array.dtype]}"
    kernel = f"{stem}_gs_{weights.group_size}_b_{weights.bits}{scale}"
    return Launch(kernel, "quantize", grid, group, "threads", label=family, staged=0)


def _grid(array: Array, per_thread: int) -> Triple:
    threads = array.size // per_thread
    if threads <= UINT32_MAX:
        return threads, 1, 1
    *outer, columns = array.shape
    return grid_2d((*outer, columns // per_thread), array.strides)
