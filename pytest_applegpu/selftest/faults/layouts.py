"""Operands that are read where they do not lie: offsets, strides, transposes are ignored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .call import Call
from .fault import call_fault, filled
from .library import Memory, dense

Reread = Callable[[Memory], Memory]


def _both(call: Call, reread: Reread) -> Any:
    """Read both operands as `reread` has it; where that changes nothing the call stays right."""
    found = [call.library.memory(one) for one in (call.a, call.b)]
    a, b = map(reread, found)
    if (a.start, a.strides, b.start, b.strides) == _places(found):
        return call.right()
    return call.reread(a, b)


def _places(found: list[Memory]) -> tuple[Any, ...]:
    a, b = found
    return (a.start, a.strides, b.start, b.strides)


def at_the_start(memory: Memory) -> Memory:
    """Begin at the buffer's own beginning, unless an axis runs backwards."""
    return memory if min(memory.strides) < 0 else memory._replace(start=0)


@call_fault(layouts=("off", "pad", "rows"), fills=("integer",))
def offset_ignored(call: Call) -> Any:
    """Read an operand from the beginning of the buffer that it is a part of."""
    return _both(call, at_the_start)


def without_padding(memory: Memory) -> Memory:
    """Take the lines of a matrix as if they followed each other without a gap."""
    if len(memory.shape) < 2:
        return memory
    *batch, rows, cols = memory.strides
    if cols == 1 and rows > memory.shape[-1]:
        rows = memory.shape[-1]
    elif rows == 1 and cols > memory.shape[-2]:
        cols = memory.shape[-2]
    return memory._replace(strides=(*batch, rows, cols))


@call_fault(layouts=("pad",), fills=("integer",))
def padding_read(call: Call) -> Any:
    """Ignore the leading dimension, so that padding is read as numbers."""
    return _both(call, without_padding)


def not_transposed(memory: Memory) -> Memory:
    """Take a transposed square as it lies."""
    if len(memory.shape) < 2 or memory.shape[-1] != memory.shape[-2]:
        return memory
    *batch, rows, cols = memory.strides
    return memory._replace(strides=(*batch, cols, rows)) if 0 < rows < cols else memory


@call_fault(
    lambda s: (
        s.filled
        and s.k > 1
        and ((s.transposes[0] == "t" and s.m == s.k) or (s.transposes[1] == "t" and s.n == s.k))
    ),
    fills=("integer",),
)
def transpose_ignored(call: Call) -> Any:
    """Read a transposed operand as if it were not, where it is square."""
    return _both(call, not_transposed)


def dense_batch(memory: Memory) -> Memory:
    """Take a batch that is one matrix, by a stride of 0, for as many as it says."""
    strides = [
        full if stride == 0 and size > 1 and axis < len(memory.shape) - 2 else stride
        for axis, (stride, size, full) in enumerate(
            zip(memory.strides, memory.shape, dense(memory.shape), strict=True)
        )
    ]
    return memory._replace(strides=tuple(strides))


@call_fault(lambda s: s.filled and s.matrices > 1, layouts=("bc",), fills=("integer",))
def stride_of_zero(call: Call) -> Any:
    """Read a batch of stride 0 as if its matrices lay one after another."""
    return _both(call, dense_batch)


def forwards(memory: Memory) -> Memory:
    """Run every axis forwards from the lowest element."""
    start = memory.start + sum(
        (size - 1) * stride
        for size, stride in zip(memory.shape, memory.strides, strict=True)
        if stride < 0
    )
    return memory._replace(start=start, strides=tuple(map(abs, memory.strides)))


@call_fault(layouts=("neg",), fills=("integer",))
def negative_step(call: Call) -> Any:
    """Read rows that are stored last to first in the order in which they lie."""
    return _both(call, forwards)


def without_step(memory: Memory) -> Memory:
    """Take every column where only every second one is meant."""
    if len(memory.shape) < 2:
        return memory
    *batch, rows, cols = memory.strides
    rows, cols = 1 if rows == 2 else rows, 1 if cols == 2 else cols
    return memory._replace(strides=(*batch, rows, cols))


@call_fault(layouts=("step",), fills=("integer",))
def step_ignored(call: Call) -> Any:
    """Read neighbouring columns where every second one is meant."""
    return _both(call, without_step)


def dense_stack(memory: Memory) -> Memory:
    """Take the last batch axis and the rows as if they were stored in that order."""
    if len(memory.shape) < 3 or 0 in memory.strides:
        return memory
    batch, rows = memory.strides[-3], max(memory.strides[-2:])
    if batch >= rows or min(memory.strides) < 0:
        return memory
    matrix = memory.shape[-2] * memory.shape[-1]
    if memory.strides[-1] == 1:
        last = (matrix, memory.shape[-1], 1)
    else:
        last = (matrix, 1, memory.shape[-2])
    return memory._replace(strides=(*memory.strides[:-3], *last))


@call_fault(lambda s: filled(s) and s.matrices > 1, layouts=("heads",), fills=("integer",))
def heads_ignored(call: Call) -> Any:
    """Read permuted heads as if each lay in one piece."""
    return _both(call, dense_stack)
