"""Layers: how they are built, what takes the place of their parameters, and refusals."""

from __future__ import annotations

import pytest

from pytest_applegpu.conduct.failures.bundling import call_text
from pytest_applegpu.problem import parse_problem

CALLS = {
    "linear-f16-nt-9x32x64-b2:_": (
        'nn.Linear(64, 32, bias=True).update({"weight": b, "bias": c})(a)'
    ),
    "linear-f32-nt-9x32x64 bias=no": 'nn.Linear(64, 32, bias=False).update({"weight": b})(a)',
    "quantized_linear-f16-nt-9x32x64": (
        "nn.QuantizedLinear(64, 32, bias=True, group_size=64, bits=4)"
        '.update({"weight": w, "biases": biases, "scales": scales, "bias": c})(a)'
    ),
    "quantized_linear-f16-nt-9x32x64 mode=mxfp8 bias=no": (
        "nn.QuantizedLinear(64, 32, bias=False, group_size=32, bits=8, mode='mxfp8')"
        '.update({"weight": w, "scales": scales})(a)'
    ),
    "multi_head_attention-f16-nt-9x33x64-b2 heads=8 mask=causal": (
        "nn.MultiHeadAttention(64, 8, bias=False)"
        '.update({"query_proj": {"weight": wq}, "key_proj": {"weight": wk}, '
        '"value_proj": {"weight": wv}, "out_proj": {"weight": wo}})(q, k, v, mask=\'causal\')'
    ),
}


@pytest.mark.parametrize("text", CALLS)
def test_layers_are_built_with_operands_for_parameters(text: str) -> None:
    """As MLX's documentation builds and calls them."""
    assert call_text(parse_problem(text).invocation) == CALLS[text]
    assert parse_problem(str(parse_problem(text))) == parse_problem(text)


SHAPES = {
    "linear-f16-nt-9x32x64-b2:_": ({"a": (2, 9, 64), "b": (32, 64), "c": (32,)}, (2, 9, 32)),
    "linear-f16-nn-1x32x64 a=vec": ({"a": (1, 64), "b": (32, 64), "c": (32,)}, (32,)),
    "quantized_linear-f16-nt-9x32x64 bias=no": (
        {"a": (9, 64), "w": (32, 8), "scales": (32, 1), "biases": (32, 1)},
        (9, 32),
    ),
    "multi_head_attention-f16-nt-9x33x64-b2 bias=yes mask=add over=row": (
        {"q": (2, 9, 64), "k": (2, 33, 64), "v": (2, 33, 64)}
        | dict.fromkeys(("wq", "wk", "wv", "wo"), (64, 64))
        | dict.fromkeys(("bq", "bk", "bv", "bo"), (64,))
        | {"mask": (2, 1, 1, 33)},
        (2, 9, 64),
    ),
}


@pytest.mark.parametrize("text", SHAPES)
def test_shapes(text: str) -> None:
    """Operands and results have the shapes of MLX's documentation."""
    problem = parse_problem(text)
    found = {one.name: one.shape for one in problem.operands}
    assert (found, problem.shape_c) == SHAPES[text]


def test_a_weight_lies_by_rows_or_by_columns() -> None:
    """In nt as MLX makes it, in nn as the transpose of another array."""
    nt, nn = (parse_problem(f"linear-f32-{one}-9x32x64").operands[1] for one in ("nt", "nn"))
    assert (nt.shape, nt.placement.storage) == ((32, 64), (32, 64))
    assert (nn.shape, nn.placement.storage) == ((32, 64), (64, 32))


def test_work_is_counted_for_each_projection() -> None:
    """Two products of queries and keys, four projections."""
    problem = parse_problem("multi_head_attention-f32-nt-3x5x8-b2 heads=2")
    assert problem.flops == 2 * 2 * (2 * 3 * 5 * 8 + 2 * 3 * 64 + 2 * 5 * 64)
    assert parse_problem("linear-f32-nt-3x5x8-b2:_").flops == 2 * 2 * 3 * 5 * 8


REFUSALS = {
    "linear-f32-nt-9x32x64-b2": "without a batch",
    "linear-f32-nt-9x1x64 b=vec": "is a matrix",
    "linear-f32-nt-9x32x0": "without inputs",
    "linear-c64-nt-9x32x64": "complex64",
    "linear-f32-nt-9x32x64 bias=no c=step": "c= is not one of",
    "quantized_linear-f32-nn-9x32x64": "takes nt, tt",
    "quantized_linear-f32-nt-9x32x65": "no multiple of the group",
    "multi_head_attention-f32-nt-9x33x64": "batch of sequences",
    "multi_head_attention-f32-nt-9x33x64-b2 heads=5": "no multiple of the 5 heads",
    "multi_head_attention-f32-nt-9x33x64-b2 over=row": "mask=bool",
    "multi_head_attention-f32-nt-9x33x64-b2 a=pad:1": "say q=",
    "multi_head_attention-f32-nt-9x33x64-b2 heads=0": "whole numbers from 1",
}


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals_name_what_is_wrong(text: str) -> None:
    """Parts that do not fit together, in words."""
    with pytest.raises(ValueError, match=REFUSALS[text]):
        parse_problem(text)
