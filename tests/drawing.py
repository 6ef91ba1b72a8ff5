"""Operands of a product by their shapes, drawn as the operands of cases are."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.problem import Problem


def make(
    fill: str,
    dtype: DType,
    shape_a: tuple[int, ...],
    shape_b: tuple[int, ...],
    operand_bits: int,
    rng: np.random.Generator,
    *,
    proven: bool = True,
) -> tuple[Any, Any]:
    """Draw A of shape (*batch_a, M, K) and B of (*batch_b, K, N)."""
    *batch_a, m, k = shape_a
    *batch_b, _, n = shape_b
    problem = Problem("matmul", dtype, m, n, k, "nn", tuple(batch_a), tuple(batch_b))
    drawn = draw(problem, fill, operand_bits, rng, proven=proven)
    return drawn.A.copy(), drawn.B.copy()
