"""Which matrix of a batch goes where?"""

from __future__ import annotations

from math import prod

import numpy as np

from .fault import Numbers, operands_fault, result_fault
from .sizes import Sizes


def _several(sizes: Sizes) -> bool:
    return sizes.filled and sizes.matrices > 1


def _stack(c: Numbers) -> Numbers:
    """Return the result as one row of matrices, sharing its memory."""
    return c.reshape(-1, *c.shape[-2:])


@result_fault(_several)
def repeated_batch(c: Numbers, sizes: Sizes) -> Numbers:
    """Give every matrix of a batch the first one's numbers."""
    _stack(c)[1:] = _stack(c)[:1]
    return c


@result_fault(_several)
def swapped_batches(c: Numbers, sizes: Sizes) -> Numbers:
    """Swap the first two matrices of a batch."""
    _stack(c)[:2] = _stack(c)[:2][::-1].copy()
    return c


@result_fault(_several)
def last_batch(c: Numbers, sizes: Sizes) -> Numbers:
    """Leave the last matrix of a batch zero."""
    _stack(c)[-1] = 0
    return c


@result_fault(lambda s: s.filled and s.matrices >= 8)
def eighth_batch(c: Numbers, sizes: Sizes) -> Numbers:
    """Leave the matrices of a batch zero from the eighth on."""
    _stack(c)[7:] = 0
    return c


@result_fault(lambda s: s.filled and len(s.batch) == 2 and min(s.batch) > 1)
def batch_axes(c: Numbers, sizes: Sizes) -> Numbers:
    """Take the two batch axes in the wrong order."""
    rows, cols = sizes.batch
    return c.reshape(cols, rows, *c.shape[-2:]).swapaxes(0, 1).reshape(c.shape).copy()


def _counted(operand: Numbers, batch: tuple[int, ...]) -> Numbers:
    """Take the matrices one after another, from the first again where they run out."""
    stack = operand.reshape(-1, *operand.shape[-2:])
    return stack[np.arange(prod(batch)) % len(stack)].reshape(*batch, *stack.shape[1:])


@operands_fault(
    lambda s: s.filled and s.matrices > max(prod(s.batch_a), prod(s.batch_b)), fills=("integer",)
)
def broadcast_counted(a: Numbers, b: Numbers, sizes: Sizes) -> tuple[Numbers, Numbers]:
    """Read both of two broadcast batches as if they were dense."""
    return _counted(a, sizes.batch), _counted(b, sizes.batch)


@operands_fault(
    lambda s: s.filled and bool(s.batch_a) and not s.batch_b and s.matrices > 1, fills=("integer",)
)
def missing_batch(a: Numbers, b: Numbers, sizes: Sizes) -> tuple[Numbers, Numbers]:
    """Read zeros where a stack of matrices meets a single one, past the first."""
    stack = np.zeros((sizes.matrices, *b.shape), b.dtype)
    stack[0] = b
    return a, stack.reshape(*sizes.batch, *b.shape)
