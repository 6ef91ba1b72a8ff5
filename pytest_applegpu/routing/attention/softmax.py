"""Which kernel takes the softmax of rows?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.routing.arrays import Array
from pytest_applegpu.routing.copies import MOST_THREADS, ceil_div
from pytest_applegpu.routing.launch import Launch

LONGEST_BLOCK: Final = 4096
"""Row length up to which a threadgroup reads its row at once; longer ones are looped over."""

_READS: Final = 4
_SIMD: Final = 32


def softmax(rows: Array) -> Launch:
    """Return the softmax over the last axis of a dense array, computed in float32.

    One threadgroup takes a row: a thread reads four neighbours.
    """
    length = rows.shape[-1]
    looped = length > LONGEST_BLOCK
    threads = MOST_THREADS if looped else _SIMD * ceil_div(ceil_div(length, _READS), _SIMD)
    precise = "" if rows.dtype == "float32" else "precise_"
    return Launch(
        f"{'looped' if looped else 'block'}_softmax_{precise}{rows.dtype}",
        "softmax",
        (rows.size // length * threads, 1, 1),
        (threads, 1, 1),
        "threads",
        label="softmax",
    )
