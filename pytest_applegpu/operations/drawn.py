"""What is handed to MLX, and which product in plain matrices its result is held to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pytest_applegpu.numerics.attention import Attention
from pytest_applegpu.numerics.draws import Order
from pytest_applegpu.numerics.epilogue import PLAIN, Epilogue, Weights
from pytest_applegpu.numerics.fills import FILLS, sketch
from pytest_applegpu.numerics.held import Judge
from pytest_applegpu.numerics.rounding import Array
from pytest_applegpu.problem import Problem

Operands = tuple[Array, ...]
"""The logical arrays that are handed over, in the order of `problem.operands`."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Operands of one case.

    Attributes:
        sent: the logical arrays that are handed over, in the order of `problem.operands`.
        A: left matrices of the product that is meant, shape (*batch, M, K).
        B: right matrices, shape (*batch, K, N); float64 where they are unpacked from codes.
        epilogue: what the product goes through.
        weights: what is known of B where it is unpacked.
        judge: what the result is held to where it is no product of A and B.
        attention: the operands of attention, in float64.
    """

    sent: Operands
    A: Array
    B: Array
    epilogue: Epilogue = PLAIN
    weights: Weights | None = None
    judge: Judge | None = None
    attention: Attention | None = None

    @property
    def meaning(self) -> dict[str, Any]:
        """The keywords by which `numerics.check.judge` is told of more than A and B."""
        return {"epilogue": self.epilogue, "weights": self.weights}


@dataclass(frozen=True, slots=True)
class Pencil:
    """What a drawer draws with: the problem, its fill, promised operand bits and randomness.

    `judged`: whether a result is to be held to what the operands mean, and not just timed.
    """

    problem: Problem
    fill: str
    bits: int
    rng: np.random.Generator = field(repr=False)
    judged: bool = True

    @property
    def is_exact(self) -> bool:
        """Whether the data are to be exact, special values aside."""
        return FILLS[self.fill].check != "bounded"

    def order(self, share: int = 1) -> Order:
        """Return the order for A and B, with the budget of exact sums divided by `share`."""
        problem = self.problem
        shape_a = _shared(problem.shape_a, problem.layout_a)
        shape_b = _shared(problem.shape_b, problem.layout_b)
        return Order(problem.dtype, shape_a, shape_b, self.bits, self.rng, share)

    def pair(self, share: int = 1) -> tuple[Array, Array]:
        """Draw A of shape (*batch_a, M, K) and B of shape (*batch_b, K, N)."""
        a, b = sketch(self.fill, self.order(share))
        return np.broadcast_to(a, self.problem.shape_a), np.broadcast_to(b, self.problem.shape_b)


Drawer = Callable[[Pencil], Drawn]


def _shared(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    """Shape to fill: one matrix where a stride of 0 serves the whole batch."""
    return (*(1 for _ in shape[:-2]), *shape[-2:]) if layout == "bc" else shape


def one_matrix(X: Array, layout: str) -> Array:
    """Return X, or where a stride of 0 serves all of it, its first matrix in place of each."""
    return np.broadcast_to(X[(0,) * (X.ndim - 2)], X.shape) if layout == "bc" and X.size else X
