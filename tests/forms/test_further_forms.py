"""Attention, convolutions, packing and other ways to ask for a product: calls and refusals."""

from __future__ import annotations

import pytest

from pytest_applegpu.problem import parse_problem


def call(text: str) -> str:
    """Write the call of a problem as it would be typed."""
    said = parse_problem(text).invocation

    def one(value: object) -> str:
        return str(next(iter(value.values()))) if isinstance(value, dict) else repr(value)

    named = [f"{name}={one(value)}" for name, value in said.named.items()]
    return f"{said.name}({', '.join([*map(one, said.arguments), *named])})"


CALLS = {
    "sdpa-f16-nt-9x33x64-b1x8:1x2": "fast.scaled_dot_product_attention(q, k, v, scale=0.125)",
    "sdpa-f16-nt-9x33x64-b1x8:1x2 mask=causal sinks=yes": (
        "fast.scaled_dot_product_attention(q, k, v, scale=0.125, mask='causal', sinks=sinks)"
    ),
    "sdpa-f16-nt-9x33x16-b1x8:1x2 mask=add": (
        "fast.scaled_dot_product_attention(q, k, v, scale=0.25, mask=mask)"
    ),
    "conv1d-f32-nt-30x16x24-b2 pad=1": "conv1d(input, weight, padding=1)",
    "conv2d-f32-nt-64x16x72-b2": "conv2d(input, weight, padding=0)",
    "quantize-f32-nt-1x8x128 bits=8": "quantize(w, group_size=64, bits=8)",
    "quantize-f32-nt-1x8x128 mode=mxfp8": "quantize(w, group_size=32, bits=8, mode='mxfp8')",
    "dequantize-f16-nt-1x8x128": "dequantize(w, scales, biases, group_size=64, bits=4)",
    "dequantize-f16-nt-1x8x128 mode=nvfp4": (
        "dequantize(w, scales, group_size=16, bits=4, mode='nvfp4', dtype=float16)"
    ),
    "qqmm-f32-nt-3x8x128": "qqmm(a, w, scales, group_size=16, bits=4, mode='nvfp4')",
    "qqmm-f32-nt-3x8x128 given=plain": "qqmm(a, w, group_size=16, bits=4, mode='nvfp4')",
    "matmul-f32-nn-3x4x5 via=einsum": "einsum('mk,kn->mn', a, b)",
    "matmul-f32-nn-3x4x5 via=tensordot": "tensordot(a, b, axes=1)",
    "matmul-f32-nn-3x4x5 via=inner": "inner(a, b)",
}


@pytest.mark.parametrize("text", CALLS)
def test_calls_and_texts(text: str) -> None:
    """Each problem is called as MLX's documentation says, and its text is its own."""
    assert call(text) == CALLS[text]
    assert parse_problem(str(parse_problem(text))) == parse_problem(text)


SHAPES = {
    "sdpa-f16-nt-9x33x64-b2x8:2x2 mask=bool dv=24": (
        {"q": (2, 8, 9, 64), "k": (2, 2, 33, 64), "v": (2, 2, 33, 24), "mask": (2, 8, 9, 33)},
        (2, 8, 9, 24),
    ),
    "sdpa-f16-nt-9x33x64-b2x8:2x2 mask=add over=row": (
        {"q": (2, 8, 9, 64), "k": (2, 2, 33, 64), "v": (2, 2, 33, 64), "mask": (2, 1, 1, 33)},
        (2, 8, 9, 64),
    ),
    "sdpa-f16-nt-9x33x64-b2x8:2x2 mask=bool over=matrix sinks=yes": (
        {
            "q": (2, 8, 9, 64),
            "k": (2, 2, 33, 64),
            "v": (2, 2, 33, 64),
            "mask": (9, 33),
            "sinks": (8,),
        },
        (2, 8, 9, 64),
    ),
    "conv1d-f32-nt-30x16x24-b2 pad=1": (
        {"input": (2, 30, 8), "weight": (16, 3, 8)},
        (2, 30, 16),
    ),
    "conv2d-f32-nt-35x16x72-b2 width=7": (
        {"input": (2, 7, 9, 8), "weight": (16, 3, 3, 8)},
        (2, 5, 7, 16),
    ),
    "matmul-f32-nt-3x4x5 via=inner": ({"a": (3, 5), "b": (4, 5)}, (3, 4)),
    "quantize-f32-nt-1x8x128-b3": ({"w": (3, 8, 128)}, (3, 8, 128)),
}


@pytest.mark.parametrize("text", SHAPES)
def test_shapes(text: str) -> None:
    """Operands and results have the shapes of MLX's documentation."""
    problem = parse_problem(text)
    assert ({one.name: one.shape for one in problem.operands}, problem.shape_c) == SHAPES[text]


REFUSALS = {
    "sdpa-f32-nt-9x33x64": "sequences and heads",
    "sdpa-f32-nt-9x33x64-b1x3:1x2": "cannot share",
    "sdpa-f32-nt-9x33x64-b2x2:1x2": "sequences of queries",
    "sdpa-f32-nn-9x33x64-b1x2": "takes nt",
    "sdpa-f32-nt-9x33x64-b1x2 a=pad:8": "say q=",
    "sdpa-f32-nt-9x33x64-b1x2 over=row": "mask=bool",
    "sdpa-f32-nt-9x33x64-b1x2 mask=causal hide=rows": "mask=bool",
    "sdpa-c64-nt-9x33x64-b1x2": "complex64",
    "conv1d-f32-nt-30x16x25-b2": "3 taps",
    "conv1d-f32-nt-30x16x24": "batch of images",
    "conv1d-f32-nt-1x16x24-b1 pad=2": "nothing of the input",
    "conv2d-f32-nt-0x16x72-b2": "M = 0",
    "conv1d-f32-nt-9x16x24-b1 pad=3": "nothing but padding",
    "conv2d-f32-nt-30x16x72-b2": "width=8",
    "conv2d-f32-nt-64x16x72-b2 b=pad:1": "say input=",
    "conv2d-f32-nt-64x16x72-b2 weight=bc": "all kernels the same",
    "quantize-f32-nt-2x8x128": "M is 1",
    "quantize-f32-nt-1x8x100": "no multiple of the group",
    "dequantize-f32-nt-1x8x128-b2:3": "one batch",
    "quantize-f32-nt-1x8x128 a=pad:1": "say w=",
    "qqmm-f32-nt-3x8x128 mode=affine": "affine",
    "qqmm-f32-nt-3x8x128-b2": "no batch",
    "matmul-f32-nn-3x4x5-b2 via=einsum": "two matrices",
    "matmul-f32-nn-1x4x5 a=vec via=inner": "two matrices",
}


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals_name_what_is_wrong(text: str) -> None:
    """Parts that do not fit together, in words."""
    with pytest.raises(ValueError, match=REFUSALS[text]):
        parse_problem(text)
