"""Which corner cases has an operation?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pytest_applegpu.cases.corners import (
    addmm,
    attention,
    convolution,
    gathered,
    layers,
    masked,
    matmul,
    packing,
    quantized,
    quantized_stacks,
    routed,
    segmented,
)
from pytest_applegpu.cases.planned import Planned, formats_of, planned
from pytest_applegpu.dtypes import DType

Lines = Callable[[], Iterator[str]]
"""Texts of cases without operation and format, in the order in which they are run."""

LINES: Final[dict[str, Lines]] = {
    "addmm": addmm.lines,
    "gather_mm": gathered.lines,
    "block_masked_mm": masked.lines,
    "segmented_mm": segmented.lines,
    "quantized_matmul": quantized.lines,
    "gather_qmm": quantized_stacks.lines,
    "sdpa": attention.lines,
    "conv1d": convolution.lines_1d,
    "conv2d": convolution.lines_2d,
    "quantize": packing.quantize_lines,
    "dequantize": packing.dequantize_lines,
    "qqmm": packing.qqmm_lines,
    "linear": layers.linear_lines,
    "quantized_linear": layers.quantized_linear_lines,
    "multi_head_attention": layers.multi_head_attention_lines,
}


def corners(op: str, dtypes: tuple[DType, ...]) -> Iterator[Planned]:
    """Yield the corner cases of one operation in every format that it takes."""
    dtypes = formats_of(op, dtypes)
    if op == "matmul":
        for dtype in dtypes:
            yield from matmul.corners(op, dtype)
            yield from (planned(op, dtype, line) for line in routed.routed_lines(op))
        return
    for dtype in dtypes:
        yield from (planned(op, dtype, line) for line in lines_of(op))


def lines_of(op: str) -> Iterator[str]:
    """Yield the texts of an operation but `matmul`: its hard spots, then those of rare routes."""
    yield from LINES[op]()
    yield from routed.routed_lines(op)


def corners_in_turn(op: str, dtypes: tuple[DType, ...]) -> Iterator[Planned]:
    """Yield each corner case in one format: the next one each time. Those of `matmul` in all."""
    dtypes = formats_of(op, dtypes)
    if op == "matmul":
        yield from corners(op, dtypes)
    elif dtypes:
        for place, line in enumerate(lines_of(op)):
            yield planned(op, dtypes[place % len(dtypes)], line)
