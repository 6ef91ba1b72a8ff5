"""Which call to MLX is a problem of each operation, with its operands as they lie in memory?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pytest_applegpu.forms.gathered import picked, picks, said_sorted
from pytest_applegpu.forms.quantized import group_and_bits, stored_shape
from pytest_applegpu.problem import Problem
from pytest_applegpu.routing.arrays import Array, Shape, transposed
from pytest_applegpu.routing.calls import (
    QQMM,
    AddMM,
    Attention,
    BlockMaskedMM,
    Call,
    GatherMM,
    GatherQMM,
    Matmul,
    Quantized,
    QuantizedMatmul,
    SegmentedMM,
)
from pytest_applegpu.routing.placements import placed

Lying = dict[str, Array]
"""A problem's operands by their names, as they lie in memory."""


def lying(problem: Problem) -> Lying:
    """Return all operands of `problem` as they lie in memory."""
    return {
        one.name: placed(one.placement, "bool_" if one.dtype == "bool" else one.dtype)
        for one in problem.operands
    }


def _matmul(problem: Problem) -> Call:
    at = lying(problem)
    return Matmul(at["a"], at["b"])


def _addmm(problem: Problem) -> Call:
    at = lying(problem)
    alpha, beta = (float(problem.param(name)) for name in ("alpha", "beta"))
    return AddMM(at["a"], at["b"], at["c"], alpha, beta)


def _indices(problem: Problem) -> tuple[Shape | None, Shape | None, bool]:
    """Return the shapes of both operands' indices, and whether MLX is told that they rise."""
    names, shape = picked(problem), picks(problem)
    lhs, rhs = (shape if name in names else None for name in ("lhs", "rhs"))
    return lhs, rhs, said_sorted(problem)


def _gather_mm(problem: Problem) -> Call:
    at = lying(problem)
    return GatherMM(at["a"], at["b"], *_indices(problem))


def _segmented_mm(problem: Problem) -> Call:
    at = lying(problem)
    return SegmentedMM(at["a"], at["b"], at["segments"])


def _block_masked_mm(problem: Problem) -> Call:
    at, masks = lying(problem), problem.param("masks")
    return BlockMaskedMM(
        at["a"],
        at["b"],
        block_size=int(problem.param("block")),
        mask_out="o" in masks,
        mask_operands=not {"l", "r"}.isdisjoint(masks),
        mask_bool=problem.param("kind") == "bool",
    )


def _weights(problem: Problem, at: Lying) -> Quantized:
    """Return how B is packed, and how the arrays that it is packed into lie."""
    group, bits = group_and_bits(problem)
    return Quantized(
        stored_shape(problem),
        group,
        bits,
        problem.param("mode"),
        transpose=problem.transpose[1] == "t",
        arrays=tuple(at[name] for name in ("w", "scales", "biases") if name in at),
    )


def _quantized_matmul(problem: Problem) -> Call:
    at = lying(problem)
    return QuantizedMatmul(at["a"], _weights(problem, at))


def _gather_qmm(problem: Problem) -> Call:
    at = lying(problem)
    return GatherQMM(at["a"], _weights(problem, at), *_indices(problem))


def _qqmm(problem: Problem) -> Call:
    at = lying(problem)
    plain = problem.param("given") == "plain"
    weights = _weights(problem, {} if plain else at)
    return QQMM(at["a"], weights, quantized=not plain)


_MASKS: Final = {"none": "", "causal": "causal", "bool": "bool", "add": "float"}
"""The kinds of mask that dispatch tells apart, by a problem's words for them."""


def _sdpa(problem: Problem) -> Call:
    at = lying(problem)
    mask, sinks = _MASKS[problem.param("mask")], problem.param("sinks") == "yes"
    return Attention(at["q"], at["k"], at["v"], mask, sinks)


def _linear(problem: Problem) -> Call:
    """Return the product, with the bias for an addend where there is one."""
    at = lying(problem)
    weight = transposed(at["b"])
    return AddMM(at["a"], weight, at["c"], 1.0, 1.0) if "c" in at else Matmul(at["a"], weight)


CALLS: Final[dict[str, Callable[[Problem], Call]]] = {
    "matmul": _matmul,
    "addmm": _addmm,
    "gather_mm": _gather_mm,
    "block_masked_mm": _block_masked_mm,
    "segmented_mm": _segmented_mm,
    "quantized_matmul": _quantized_matmul,
    "gather_qmm": _gather_qmm,
    "qqmm": _qqmm,
    "sdpa": _sdpa,
    "linear": _linear,
    # The bias is added to what this gives by a kernel of its own.
    "quantized_linear": _quantized_matmul,
}
"""The call of each operation whose dispatch is known."""

PACKED: Final = frozenset({"quantized_matmul", "gather_qmm", "qqmm", "quantized_linear"})
"""Operations whose B comes packed, in groups of weights."""
