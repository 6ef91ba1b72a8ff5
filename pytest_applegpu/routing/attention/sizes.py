"""Which sizes of an attention call decide its route, and which calls does MLX refuse?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pytest_applegpu.routing.arrays import Array
from pytest_applegpu.routing.calls import Attention
from pytest_applegpu.routing.checks import REAL, shape_words
from pytest_applegpu.routing.formats import dtype_words
from pytest_applegpu.routing.launch import Refused

RANK: Final = 4

HALF: Final = frozenset({"float16", "bfloat16"})
"""Formats of two bytes."""


@dataclass(frozen=True)
class Sizes:
    """Sizes as the field names them, and what is masked.

    `L` and `S` are the lengths of queries and keys, `D` and `DV` the head dimensions of queries
    (and keys) and of values.
    """

    batch: int
    heads: int
    key_heads: int
    L: int
    S: int
    D: int
    DV: int
    dtype: str
    mask: str
    sinks: bool

    @cached_property
    def group(self) -> int:
        """Query heads that share a key head."""
        return self.heads // self.key_heads

    @cached_property
    def dims(self) -> tuple[int, int]:
        """Head dimensions of queries and values."""
        return self.D, self.DV

    @cached_property
    def causal(self) -> bool:
        """Whether the mask is the causal one."""
        return self.mask == "causal"

    @cached_property
    def array_mask(self) -> bool:
        """Whether the mask is an array."""
        return self.mask in {"bool", "float"}

    @cached_property
    def mask_dtype(self) -> str:
        """Format of the mask array as kernels name it; that of the queries where there is none."""
        return "bool_" if self.mask == "bool" else self.dtype


def sizes_of(call: Attention) -> Sizes:
    """Return the sizes of `call`, whose operands are of one format.

    Raises:
        Refused: MLX raises for these operands.
    """
    _check(call.q, call.k, call.v)
    batch, heads, length, dim = call.q.shape
    return Sizes(
        batch=batch,
        heads=heads,
        key_heads=call.k.shape[1],
        L=length,
        S=call.k.shape[2],
        D=dim,
        DV=call.v.shape[3],
        dtype=call.q.dtype,
        mask=call.mask,
        sinks=call.sinks,
    )


def result_of(size: Sizes) -> Array:
    """Return the result of full kernels: heads of a query row lie one after another."""
    shape = (size.batch, size.heads, size.L, size.DV)
    row = size.heads * size.DV
    return Array(shape, (size.L * row, size.DV, row, 1), size.dtype)


def _check(q: Array, k: Array, v: Array) -> None:
    for one in (q, k, v):
        if one.ndim != RANK:
            raise _refused(f"input with shape {shape_words(one.shape)} expected to be rank 4")
    for one in (k, v):
        if one.shape[0] != q.shape[0]:
            said = f"mismatching batch dimension for input with shape {shape_words(one.shape)}."
            raise _refused(said)
    _check_heads(q, k, v)
    if q.dtype not in REAL:
        raise _refused(f"Received unsupported type {dtype_words(q.dtype)}.")


def _check_heads(q: Array, k: Array, v: Array) -> None:
    if q.shape[3] != k.shape[3]:
        raise _refused(
            "query, keys expected to have matching last dimension; found query shape "
            f"{shape_words(q.shape)} for keys shape {shape_words(k.shape)}."
        )
    if k.shape[1] != v.shape[1]:
        raise _refused(
            "keys, values expected to have matching n_kv_heads; found keys with n_heads "
            f"{k.shape[1]} for values with n_heads {v.shape[1]}."
        )
    if q.shape[1] % k.shape[1]:
        raise _refused(
            "n_heads must be a multiple of n_kv_heads, found n_heads "
            f"{q.shape[1]} for n_kv_heads {k.shape[1]}."
        )


def _refused(words: str) -> Refused:
    return Refused(f"[scaled_dot_product_attention] {words}")
