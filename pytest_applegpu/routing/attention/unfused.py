"""Which kernels compute attention without a fused kernel: matmul, softmax, matmul?"""

from __future__ import annotations

from dataclasses import replace

from pytest_applegpu.routing.arrays import (
    Array,
    broadcast_to,
    dense,
    expanded,
    transposed,
)
from pytest_applegpu.routing.attention.padding import between_strides
from pytest_applegpu.routing.attention.sizes import Sizes
from pytest_applegpu.routing.attention.softmax import softmax
from pytest_applegpu.routing.attention.where import select
from pytest_applegpu.routing.calls import Attention, Matmul
from pytest_applegpu.routing.dense.operations import matmul
from pytest_applegpu.routing.elementwise import binary, number
from pytest_applegpu.routing.indices import arange
from pytest_applegpu.routing.launch import Tape
from pytest_applegpu.routing.reshape import reshaped
from pytest_applegpu.routing.target import Target


def unfused(call: Attention, size: Sizes, target: Target, tape: Tape) -> None:
    """Write down scaling, scores, mask, softmax and the product with the values, in this order.

    Query heads that share a key head get an axis of their own. The causal mask is made first; an
    array mask is taken as one of shape (L, S).
    """
    causal = _causal_mask(size, tape) if size.causal else None
    q = binary(tape, "Multiply", number(size.dtype), call.q)
    keys, values = call.k, call.v
    if size.group > 1:
        q = reshaped(tape, q, (size.batch, size.key_heads, size.group, size.L, size.D))
        keys, values = expanded(keys, 2), expanded(values, 2)
    matmul(Matmul(q, transposed(keys)), target, tape)
    scores = dense((*q.shape[:-1], size.S), size.dtype)
    if scores.size:
        _weigh(scores, causal, size, tape)
    weights = _without_sinks(scores) if size.sinks else scores
    matmul(Matmul(weights, values), target, tape)


def _causal_mask(size: Sizes, tape: Tape) -> Array:
    """Compare the places of queries, a column, with those of keys, a row."""
    for length in filter(None, (size.L, size.S)):
        tape.add(arange("int32", length))
    places = dense((size.L, 1), "int32"), dense((1, size.S), "int32")
    compared = binary(tape, "GreaterEqual", *places)
    return replace(compared, dtype="bool_")


def _weigh(scores: Array, causal: Array | None, size: Sizes, tape: Tape) -> None:
    """Make weights of scores: mask, put sinks before them, take the softmax."""
    if causal:
        tape.add(select(causal, scores))
    elif size.mask == "bool":
        tape.add(select(dense((size.L, size.S), "bool_"), scores))
    elif size.array_mask:
        binary(tape, "Add", scores, dense((size.L, size.S), size.dtype))
    tape.add(softmax(_with_sinks(scores, size, tape) if size.sinks else scores))


def _with_sinks(scores: Array, size: Sizes, tape: Tape) -> Array:
    """Put a column of sinks, one value a head, before the scores: two copies between strides."""
    heads = scores.shape[1:-2]
    column = broadcast_to(dense((1, *heads, 1, 1), size.dtype), (*scores.shape[:-1], 1))
    joined = _joined(scores)
    for part in (column, scores):
        out = Array(part.shape, joined.strides, size.dtype)
        tape.add(between_strides(part, out))
    return joined


def _without_sinks(scores: Array) -> Array:
    """Return the weights of scores beside which there was a column of sinks."""
    joined = _joined(scores)
    size = joined.size - 1
    return replace(scores, strides=joined.strides, offset=1, data_size=size)


def _joined(scores: Array) -> Array:
    return dense((*scores.shape[:-1], scores.shape[-1] + 1), scores.dtype)
