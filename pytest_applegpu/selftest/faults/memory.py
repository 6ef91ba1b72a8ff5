"""What is never written: the result keeps what its memory held before."""

from __future__ import annotations

from typing import Any

import numpy as np

from .asked import Asked
from .call import Call
from .fault import Numbers, answer_fault, call_fault, filled
from .sizes import REAL


@call_fault(lambda s: filled(s) and s.k % 2 == 1, recycles=True)
def result_unwritten(call: Call) -> Any:
    """Write nothing, where K is odd."""
    return call.give(call.recycled())


@call_fault(lambda s: filled(s) and s.m > 64 and s.n > 64, recycles=True)
def last_tile_unwritten(call: Call) -> Any:
    """Leave the last tile of 64 x 64 as its memory was, where there are several."""
    c, sizes = call.product(), call.sizes
    rows, columns = (slice((size - 1) // 64 * 64, None) for size in (sizes.m, sizes.n))
    c[..., rows, columns] = call.recycled()[..., rows, columns]
    return call.give(c)


@call_fault(lambda s: s.k == 0 and s.m * s.n * s.matrices > 0, recycles=True)
def sum_of_nothing_unwritten(call: Call) -> Any:
    """Leave the result as its memory was, where K is 0."""
    return call.give(call.recycled())


@call_fault(lambda s: filled(s) and s.k >= 1024, formats=REAL, recycles=True)
def partial_unwritten(call: Call) -> Any:
    """Add up four partitions of a long K of which the last was not written: float32 memory."""
    sizes = call.sizes
    partials = call.library.recycled((4, *sizes.full), "float32")
    with np.errstate(all="ignore"):
        return call.give(call.product() + partials[-1])


@answer_fault("segmented_mm", lambda s: s.m * s.n > 0, words={"cut": ("empty",)}, recycles=True)
def empty_segment_unwritten(c: Numbers, call: Asked) -> Numbers:
    """Leave the result of a segment without a K as its memory was."""
    cut = call.numbers("segments")
    empty = cut[:, 0] == cut[:, 1]
    c[empty] = call.recycled()[empty]
    return c


@answer_fault(
    "quantized_matmul", lambda s: filled(s) and s.n >= 32 and s.n % 64 != 0, recycles=True
)
def packed_columns_unwritten(c: Numbers, call: Asked) -> Numbers:
    """Leave the last 32 columns as their memory was, where 64 does not divide N."""
    c[..., -32:] = call.recycled()[..., -32:]
    return c


@answer_fault(
    "block_masked_mm", words={"masks": ("olr", "o", "ol", "or")}, fills=("integer",), recycles=True
)
def hidden_block_unwritten(c: Numbers, call: Asked) -> Numbers:
    """Leave what the result's mask hides as its memory was."""
    if call.has("mask_out"):
        hidden = call.numbers("mask_out") == 0
        for axis in (-2, -1):
            hidden = np.repeat(hidden, int(call.given.get("block_size", 64)), axis)
        hidden = np.broadcast_to(hidden[..., : call.sizes.m, : call.sizes.n], c.shape)
        c[hidden] = call.recycled()[hidden]
    return c
