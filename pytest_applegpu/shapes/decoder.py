"""What does a decoder-only transformer multiply in one pass? From the sizes of its parts.

A linear layer without bias is x W^T: `nt`, M tokens, N outputs, K inputs; packed weights make it a
`quantized_matmul`. Attention is MLX's fused one. Experts are picked by `gather_mm`, or by
`gather_qmm`, as mlx-lm's SwitchGLU does: with 64 picks or more, tokens are sorted by experts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.shapes.shapes import Shape

SORTED_FROM: Final = 64
"""Picks from which on mlx-lm sorts tokens by their experts."""

ROUTER_BITS: Final = 8
"""Bits that mlx-lm packs the router of a mixture of experts with."""


@dataclass(frozen=True, slots=True)
class Decoder:
    """Sizes of a decoder-only transformer, as `models.toml` names them; 0 experts: a dense one."""

    dtype: str
    layers: int
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    head: int
    vocabulary: int
    prompt: int
    context: int
    experts: int = 0
    active: int = 0
    bits: int = 0
    group: int = 0


def decoder_shapes(model: Decoder) -> Iterator[Shape]:
    """Yield what a prefill multiplies, and then what a decoded token does."""
    for phase, tokens in (("prefill", model.prompt), ("decode", 1)):
        for text, count, part in _layer(model, tokens):
            yield Shape(parse_problem(text), count * model.layers, phase, part)
        # Of a prompt, only the last token is asked what follows it.
        head = _linear(model, 1, model.vocabulary, model.hidden)
        yield Shape(parse_problem(head), 1, phase, "head")


Product = tuple[str, int, str]
"""A problem's text, how often a layer makes it, and the part that does."""


def _layer(model: Decoder, tokens: int) -> Iterator[Product]:
    wide, narrow = model.heads * model.head, model.kv_heads * model.head
    yield _linear(model, tokens, wide, model.hidden), 1, "queries"
    yield _linear(model, tokens, narrow, model.hidden), 2, "keys and values"
    yield _attention(model, tokens), 1, "attention"
    yield _linear(model, tokens, model.hidden, wide), 1, "attention's output"
    yield from _experts(model, tokens) if model.experts else _dense(model, tokens)


def _dense(model: Decoder, tokens: int) -> Iterator[Product]:
    yield _linear(model, tokens, model.intermediate, model.hidden), 2, "gate and up"
    yield _linear(model, tokens, model.hidden, model.intermediate), 1, "down"


def _experts(model: Decoder, tokens: int) -> Iterator[Product]:
    router = ROUTER_BITS if model.bits else 0
    picks = tokens * model.active
    in_order = picks >= SORTED_FROM
    up = (model.intermediate, model.hidden)
    down = (model.hidden, model.intermediate)
    yield _linear(model, tokens, model.experts, model.hidden, router), 1, "router"
    if in_order:
        yield _picked(model, *up, picks, " order=sorted"), 2, "gate and up"
        yield _picked(model, *down, picks, " order=sorted"), 1, "down"
    else:
        yield _picked(model, *up, tokens, f" by=both picks={picks}"), 2, "gate and up"
        yield _picked(model, *down, picks, ""), 1, "down"


def _linear(model: Decoder, m: int, n: int, k: int, bits: int | None = None) -> str:
    bits = model.bits if bits is None else bits
    name = "quantized_matmul" if bits else "matmul"
    return f"{name}-{DTYPES[model.dtype].short}-nt-{m}x{n}x{k}{_packing(model, bits)}"


def _picked(model: Decoder, n: int, k: int, rows: int, words: str) -> str:
    name = "gather_qmm" if model.bits else "gather_mm"
    head = f"{name}-{DTYPES[model.dtype].short}-nt-1x{n}x{k}-b{rows}:{model.experts}"
    return f"{head}{_packing(model, model.bits)}{words}"


def _packing(model: Decoder, bits: int) -> str:
    return f" bits={bits} group={model.group}" if bits else ""


def _attention(model: Decoder, tokens: int) -> str:
    keys, mask = (tokens, " mask=causal") if tokens > 1 else (model.context, "")
    heads = f"b1x{model.heads}:1x{model.kv_heads}"
    return f"sdpa-{DTYPES[model.dtype].short}-nt-{tokens}x{keys}x{model.head}-{heads}{mask}"
