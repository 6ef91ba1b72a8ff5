"""K cut into partitions, whose sums are lost, added twice, or kept in half precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call import Call
from .fault import Numbers, call_fault
from .sizes import REAL, Sizes

COUNT = 4
"""Partitions that K is cut into."""


def _long(sizes: Sizes) -> bool:
    return sizes.filled and sizes.k >= 1024


def _partials(call: Call, count: int) -> list[Numbers]:
    """Return the sums of each partition of K, as float32."""
    a, b = call.operands()
    edges = [call.sizes.k * part // count for part in range(count + 1)]
    spans = [slice(*edges[part : part + 2]) for part in range(count)]
    return [call.multiply(a[..., span], b[..., span, :], "float32") for span in spans]


@call_fault(_long, formats=REAL, fills=("integer", "cancel"))
def partial_lost(call: Call) -> Any:
    """Lose the second of four partitions of a long K."""
    first, _, *others = _partials(call, COUNT)
    return call.give(first + np.sum(others, axis=0))


@call_fault(_long, formats=REAL, fills=("integer", "cancel"))
def partial_twice(call: Call) -> Any:
    """Add the last of four partitions of a long K twice."""
    parts = _partials(call, COUNT)
    return call.give(np.sum([*parts, parts[-1]], axis=0))


@call_fault(_long, formats=REAL, fills=("cancel", "integer", "normal"))
def partials_in_half(call: Call) -> Any:
    """Keep the sums of four partitions of a long K in float16."""
    with np.errstate(all="ignore"):
        parts = [part.astype(np.float16).astype(np.float32) for part in _partials(call, COUNT)]
        return call.give(np.sum(parts, axis=0))


@call_fault(_long, formats=REAL, fills=("cancel", "integer", "normal"))
def combined_in_half(call: Call) -> Any:
    """Add up the sums of four partitions of a long K in float16."""
    with np.errstate(all="ignore"):
        total, *others = (part.astype(np.float16) for part in _partials(call, COUNT))
        for part in others:
            total = total + part
        return call.give(total)


@call_fault(_long, formats=REAL, fills=("cancel", "integer", "normal"))
def combined_in_bfloat16(call: Call) -> Any:
    """Add up the sums of four partitions of a long K in bfloat16."""
    total = np.zeros((), np.float32)
    for part in _partials(call, COUNT):
        rounded = call.library.array(total + part, "bfloat16")
        total = call.library.numbers(rounded)
    return call.give(total)


@call_fault(lambda s: s.filled and s.k >= 256, formats=REAL, fills=("cancel", "integer", "normal"))
def half_accumulation(call: Call) -> Any:
    """Add up blocks of 64 products in float16."""
    with np.errstate(all="ignore"):
        total, *others = (part.astype(np.float16) for part in _partials(call, call.sizes.k // 64))
        for part in others:
            total = total + part
        return call.give(total)
