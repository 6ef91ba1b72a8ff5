"""The wrong form: format, shape, a refusal, or a way of calling that is wrong alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call import Call
from .fault import Numbers, call_fault, result_fault
from .sizes import HALF, Sizes


@call_fault(formats=HALF)
def wrong_format(call: Call) -> Any:
    """Return float32 where half precision is due."""
    return call.library.array(call.product().reshape(call.shape), "float32")


@call_fault(lambda s: s.n == 1 and s.m > 1)
def squeezed_column(call: Call) -> Any:
    """Return a single column without its axis."""
    return call.library.array(np.squeeze(call.product(), -1), call.sizes.dtype)


@call_fault(lambda s: len(s.batch) > 1)
def flattened_batch(call: Call) -> Any:
    """Return a batch of two axes as one."""
    flat = call.product().reshape(-1, *call.sizes.full[-2:])
    return call.library.array(flat, call.sizes.dtype)


@call_fault(lambda s: s.k == 0)
def refuses_nothing(call: Call) -> Any:
    """Refuse operands without a term."""
    raise ValueError("[matmul] K must not be 0")


@result_fault(lambda s: s.filled and s.via == "operator")
def operator_only(c: Numbers, sizes: Sizes) -> Numbers:
    """Add 1 to the first element when called as `a @ b`."""
    c.reshape(-1)[0] += 1
    return c


@result_fault(lambda s: s.filled and s.via == "function")
def function_only(c: Numbers, sizes: Sizes) -> Numbers:
    """Add 1 to the first element when called as `matmul(a, b)`."""
    c.reshape(-1)[0] += 1
    return c
