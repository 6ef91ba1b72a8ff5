"""Which kernels bring operands into a quantized format before a product?"""

from __future__ import annotations

from pytest_applegpu.routing.arrays import Array
from pytest_applegpu.routing.calls import Quantized
from pytest_applegpu.routing.copies import MOST_THREADS
from pytest_applegpu.routing.launch import Launch, Triple
from pytest_applegpu.routing.quantized.product import TYPE_NAMES
from pytest_applegpu.routing.quantized.rules import Rules
from pytest_applegpu.routing.reduce import UINT32_MAX, grid_2d


def quantize(rules: Rules, array: Array, weights: Quantized) -> Launch:
    """Return the launch that packs row-major `array`."""
    return _launch("quantize", rules, array, weights)


def quantize_dequantize(rules: Rules, array: Array, weights: Quantized) -> Launch:
    """Return the launch that rounds row-major `array` to what the mode can hold."""
    return _launch("quantize_dequantize", rules, array, weights)


def _launch(family: str, rules: Rules, array: Array, weights: Quantized) -> Launch:
    grid = _grid(array, max(weights.group_size // 32, 1))
    group = (min(grid[0] * grid[1], MOST_THREADS), 1, 1)
    scale = "_hgs_false" if rules.qqmm_general else ""
    stem = f"{weights.mode}_{family}_{TYPE_NAMES[array.dtype]}"
    kernel = f"{stem}_gs_{weights.group_size}_b_{weights.bits}{scale}"
    return Launch(kernel, "quantize", grid, group, "threads", label=family, staged=0)


def _grid(array: Array, per_thread: int) -> Triple:
    threads = array.size // per_thread
    if threads <= UINT32_MAX:
        return threads, 1, 1
    *outer, columns = array.shape
    return (*grid_2d((*outer, columns // per_thread), array.strides), 1)
