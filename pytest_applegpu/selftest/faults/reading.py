"""Which function of the library makes an operation, and which sizes has a call of it?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from .call import tf32
from .library import Library
from .sizes import Sizes

Shape = tuple[int, ...]
Arguments = Mapping[str, Any]


class Function(NamedTuple):
    """A function of the library, dots in its name included, and its arguments in their order."""

    name: str
    arguments: tuple[str, ...]


_PACKED: Final = ("x", "w", "scales", "biases")
_MODE: Final = ("group_size", "bits", "mode")
_PICKS: Final = ("lhs_indices", "rhs_indices")

FUNCTIONS: Final = {
    "addmm": Function("addmm", ("c", "a", "b", "alpha", "beta")),
    "gather_mm": Function("gather_mm", ("a", "b", *_PICKS)),
    "block_masked_mm": Function(
        "block_masked_mm", ("a", "b", "block_size", "mask_out", "mask_lhs", "mask_rhs")
    ),
    "segmented_mm": Function("segmented_mm", ("a", "b", "segments")),
    "quantized_matmul": Function("quantized_matmul", (*_PACKED, "transpose", *_MODE)),
    "gather_qmm": Function("gather_qmm", (*_PACKED, *_PICKS, "transpose", *_MODE)),
    "quantize": Function("quantize", ("w", *_MODE)),
    "dequantize": Function("dequantize", (*_PACKED[1:], *_MODE)),
    "qqmm": Function("qqmm", ("x", "w", "scales", *_MODE)),
    "sdpa": Function("fast.scaled_dot_product_attention", ("q", "k", "v")),
    "conv1d": Function("conv1d", ("input", "weight", "stride", "padding")),
    "conv2d": Function("conv2d", ("input", "weight", "stride", "padding")),
    "linear": Function("nn.Linear.__call__", ("self", "x")),
    "quantized_linear": Function("nn.QuantizedLinear.__call__", ("self", "x")),
    "multi_head_attention": Function(
        "nn.MultiHeadAttention.__call__", ("self", "queries", "keys", "values", "mask")
    ),
}
"""The operations that are called by a function other than `matmul`, as MLX's documentation has
them; `nn.` is in front of the layers of `mlx.nn`."""

GROUPS_OF: Final = {"affine": 64, "mxfp4": 32, "mxfp8": 32, "nvfp4": 16}
"""Weights that share a scale where nothing is said, by mode."""


def group_size(given: Arguments) -> int:
    """Return how many weights share a scale."""
    return int(given.get("group_size") or GROUPS_OF[given.get("mode", "affine")])


def sizes_of_call(library: Library, op: str, given: Arguments) -> Sizes:
    """Return the sizes of a call of `op`.

    Raises:
        AttributeError, IndexError, KeyError, TypeError, ValueError: it is no call of that kind,
            and for the library to refuse.
    """
    return _READERS[op](library, given)


def _sizes(  # noqa: PLR0917 - what sizes are made of
    library: Library, like: Any, mnk: Shape, batches: tuple[Any, Any], picks: Any, turned: str
) -> Sizes:
    name = like if isinstance(like, str) else library.format(like)
    batch_a, batch_b = (tuple(batch) for batch in batches)
    m, n, k = mnk
    return Sizes(name, m, n, k, batch_a, batch_b, turned, "function", tf32(), tuple(picks))


def _dense(library: Library, given: Arguments, picks: Callable[..., Any]) -> Sizes:
    a, b = given["a"], given["b"]
    shape_a = (1, *a.shape) if a.ndim == 1 else tuple(a.shape)
    shape_b = (*b.shape, 1) if b.ndim == 1 else tuple(b.shape)
    (*batch_a, m, k), (*batch_b, _, n) = shape_a, shape_b
    turned = library.transposed(a) + library.transposed(b)
    batches = batch_a, batch_b
    return _sizes(library, a, (m, n, k), batches, picks(given, batches), turned)


def _broadcast(_: Arguments, batches: tuple[Any, Any]) -> Any:
    return np.broadcast_shapes(*map(tuple, batches))


def _picked(given: Arguments, _: Any) -> Any:
    return next(given[name].shape for name in _PICKS if given.get(name) is not None)


def _segments(given: Arguments, _: Any) -> Any:
    return given["segments"].shape[:1]


def _packed(library: Library, given: Arguments, picks: Callable[..., Any]) -> Sizes:
    x, w, turned = given["x"], given["w"], bool(given.get("transpose", True))
    *batch_a, m, k = x.shape
    n = w.shape[-2] if turned else given["scales"].shape[-1] * group_size(given)
    batches = batch_a, w.shape[:-2]
    letters = library.transposed(x) + ("t" if turned else "n")
    return _sizes(library, x, (m, n, k), batches, picks(given, batches), letters)


def _weights(library: Library, given: Arguments) -> Sizes:
    """Read weights by themselves, (*batch, n, k), packed or not."""
    w, scales, like = given["w"], given.get("scales"), given["w"]
    *batch, n, k = w.shape
    if scales is not None:
        k = scales.shape[-1] * group_size(given)
        named = given.get("dtype")
        like = scales if named is None else str(named).rpartition(".")[2]
    return _sizes(library, like, (1, n, k), (batch, batch), batch, "nt")


def _attention(library: Library, given: Arguments) -> Sizes:
    q, k = given["q"], given["k"]
    batches = q.shape[:-2], k.shape[:-2]
    return _sizes(library, q, (q.shape[-2], k.shape[-2], q.shape[-1]), batches, batches[0], "nt")


def _convolution(library: Library, given: Arguments) -> Sizes:
    images, weight = given["input"], given["weight"]
    if given.get("stride", 1) != 1 or {"dilation", "groups"} & set(given):
        raise ValueError("no convolution of stride 1 and one group")
    more = 2 * int(given.get("padding", 0)) + 1
    inner = zip(images.shape[1:-1], weight.shape[1:-1], strict=True)
    places = (size + more - taps for size, taps in inner)
    batch = images.shape[:1]
    mnk = (prod(places), weight.shape[0], prod(weight.shape[1:]))
    return _sizes(library, images, mnk, (batch, batch), batch, "nt")


_TURNED: Final = {"n": "t", "t": "n"}


def _layer(library: Library, given: Arguments) -> Sizes:
    """Read a layer's input, and its weight of shape (n, *), which it takes transposed."""
    x, weight = given["x"], given["self"].weight
    *batch, m, k = (1, *x.shape) if x.ndim == 1 else tuple(x.shape)
    letters = library.transposed(x) + _TURNED[library.transposed(weight)]
    return _sizes(library, x, (m, weight.shape[0], k), (batch, ()), batch, letters)


def _heads(library: Library, given: Arguments) -> Sizes:
    q, k = given["queries"], given["keys"]
    batches = q.shape[:-2], k.shape[:-2]
    return _sizes(library, q, (q.shape[-2], k.shape[-2], q.shape[-1]), batches, batches[0], "nt")


_READERS: Final[dict[str, Callable[[Library, Arguments], Sizes]]] = {
    "addmm": lambda library, given: _dense(library, given, _broadcast),
    "gather_mm": lambda library, given: _dense(library, given, _picked),
    "block_masked_mm": lambda library, given: _dense(library, given, _broadcast),
    "segmented_mm": lambda library, given: _dense(library, given, _segments),
    "quantized_matmul": lambda library, given: _packed(library, given, _broadcast),
    "gather_qmm": lambda library, given: _packed(library, given, _picked),
    "quantize": _weights,
    "dequantize": _weights,
    "qqmm": lambda library, given: _packed(library, given, _broadcast),
    "sdpa": _attention,
    "conv1d": _convolution,
    "conv2d": _convolution,
    "linear": _layer,
    "quantized_linear": _layer,
    "multi_head_attention": _heads,
}
