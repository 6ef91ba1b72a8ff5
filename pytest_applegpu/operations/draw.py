"""How are the operands of a case drawn? By its operation, again until its data prove something."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from pytest_applegpu.numerics.fills import FILLS, TRIES, is_proven, worth_proving
from pytest_applegpu.operations import (
    attention,
    convolution,
    dense,
    gathered,
    layers,
    masked,
    multihead,
    packing,
    quantized,
    segmented,
)
from pytest_applegpu.operations.drawn import Drawer, Drawn, Pencil
from pytest_applegpu.problem import Problem

DRAWERS: Final[dict[str, Drawer]] = {
    "matmul": dense.matmul,
    "addmm": dense.addmm,
    "gather_mm": gathered.gather_mm,
    "block_masked_mm": masked.block_masked_mm,
    "segmented_mm": segmented.segmented_mm,
    "quantized_matmul": quantized.quantized_matmul,
    "gather_qmm": quantized.gather_qmm,
    "quantize": packing.quantize,
    "dequantize": packing.dequantize,
    "qqmm": packing.qqmm,
    "sdpa": attention.sdpa,
    "conv1d": convolution.convolution,
    "conv2d": convolution.convolution,
    "linear": layers.linear,
    "quantized_linear": layers.quantized_linear,
    "multi_head_attention": multihead.multi_head_attention,
}
"""How each operation's operands are drawn."""


def draw(
    problem: Problem, fill: str, bits: int, rng: np.random.Generator, *, proven: bool = True
) -> Drawn:
    """Draw the operands of `problem`.

    `bits` is how many significant bits of each operand the route promises to keep: exact fills
    use no more. Small cases are drawn again until their data prove something, unless nothing is
    to be proven.

    Raises:
        ValueError: no such fill.
    """
    if fill not in FILLS:
        raise ValueError(f"fill {fill!r} is not one of {', '.join(FILLS)}")
    pencil = Pencil(problem, fill, bits, rng, judged=proven)
    outputs = prod(problem.batch) * problem.m * problem.n
    small = worth_proving(fill, outputs, min(problem.m, problem.n, problem.k))
    proven = proven and small and bool(outputs)
    for _ in range(TRIES if proven else 1):
        drawn = DRAWERS[problem.op](pencil)
        if not proven or _proves(drawn, pencil):
            break
    return drawn


def _proves(drawn: Drawn, pencil: Pencil) -> bool:
    if drawn.judge is not None:
        return drawn.judge.prove() is None
    dtype, check = pencil.problem.dtype, FILLS[pencil.fill].check
    return is_proven(check, (drawn.A, drawn.B), dtype, pencil.bits, **drawn.meaning)
