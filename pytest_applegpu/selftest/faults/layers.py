"""Layers of `mlx.nn`: biases that are left out, heads that change places or are lost."""

from __future__ import annotations

from math import sqrt
from typing import Any, Final

import numpy as np

from .asked import Asked
from .fault import Numbers, answer_fault, filled, given_fault
from .sizes import Sizes

_BIAS: Final = {"bias": ("yes",)}
_REAL: Final = ("normal",)
_DATA: Final = ("integer", "normal")
_SEVERAL: Final = {"heads": ("2", "4", "8")}


def _bias(call: Asked) -> Numbers:
    """Return the layer's bias, zeros where it has none."""
    found = call.given["self"].get("bias")
    return np.zeros(1) if found is None else call.library.numbers(found)


@answer_fault("linear", words=_BIAS, fills=("integer",))
def layer_bias_ignored(c: Numbers, call: Asked) -> Numbers:
    """Leave a linear layer's bias out."""
    return c - _bias(call)


@answer_fault("linear", lambda s: filled(s) and s.m > 1, words=_BIAS, fills=("integer",))
def layer_bias_on_first_row(c: Numbers, call: Asked) -> Numbers:
    """Add a linear layer's bias to the first row of each matrix alone."""
    c[..., 1:, :] -= _bias(call)
    return c


@answer_fault("quantized_linear", words=_BIAS, fills=("integer",))
def packed_layer_bias_twice(c: Numbers, call: Asked) -> Numbers:
    """Add a quantized layer's bias twice."""
    return c + _bias(call)


def _changed(call: Asked, projection: str, change: Any) -> Any:
    """Return what the layer makes with another weight of a projection."""
    layer = call.given["self"]
    part = layer[projection]
    weight = part.weight
    name = call.library.format(weight)
    part.weight = call.library.array(change(call.library.numbers(weight)), name)
    try:
        return call.right()
    finally:
        part.weight = weight


def _by_head(call: Asked, weight: Numbers) -> Numbers:
    """Return a view of a weight's columns a head at a time, (n, heads, size)."""
    heads = call.given["self"].num_heads
    return weight.reshape(weight.shape[0], heads, weight.shape[1] // heads)


@given_fault("multi_head_attention", words=_SEVERAL, fills=_DATA)
def heads_reversed(call: Asked) -> Any:
    """Join the heads in reverse order."""
    return _changed(call, "out_proj", lambda w: _by_head(call, w)[:, ::-1].reshape(w.shape))


@given_fault("multi_head_attention", fills=_DATA)
def last_head_lost(call: Asked) -> Any:
    """Lose what the last head gives."""

    def lost(weight: Numbers) -> Numbers:
        _by_head(call, weight)[:, -1] = 0
        return weight

    return _changed(call, "out_proj", lost)


def _keys(sizes: Sizes) -> bool:
    return filled(sizes) and sizes.n > 2


@given_fault("multi_head_attention", _keys, words=_SEVERAL, fills=_REAL)
def scale_of_all_heads(call: Asked) -> Any:
    """Scale scores by the size of all heads together, and not of one."""
    heads = call.given["self"].num_heads
    return _changed(call, "query_proj", lambda w: w / np.float32(sqrt(heads)))


@given_fault("multi_head_attention", _keys, fills=_DATA)
def keys_projected_as_queries(call: Asked) -> Any:
    """Project the keys by the weight of the queries."""
    other = call.library.numbers(call.given["self"]["query_proj"].weight)
    return _changed(call, "key_proj", lambda _: other)


@given_fault("multi_head_attention", _keys, words={"mask": ("causal",)}, fills=_DATA)
def layer_mask_ignored(call: Asked) -> Any:
    """Let every query see every key."""
    return call.right(mask=None)
