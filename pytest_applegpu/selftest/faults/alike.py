"""Products that are right by themselves, and differ from the same one made in another way."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call import Call
from .fault import Numbers, call_fault, filled, result_fault
from .library import Memory, dense
from .sizes import Sizes

SINGLE = frozenset({"float32"})


def _last_bit(c: Numbers, where: Numbers) -> Numbers:
    """Move numbers by one spacing toward 0, where `where` says so and they are not whole."""
    with np.errstate(all="ignore"):
        moved = where & (c != np.round(c))
    return np.where(moved, np.nextafter(c, np.zeros((), c.dtype)), c)


@result_fault(formats=SINGLE, checks=("scaling",))
def large_rounded_down(c: Numbers, sizes: Sizes) -> Numbers:
    """Lose the last bit of a result of 64 and more: a number that is whole is left as it is."""
    return _last_bit(c, np.abs(c) >= 64)


@result_fault(checks=("scaling",))
def large_flushed(c: Numbers, sizes: Sizes) -> Numbers:
    """Write 0 in place of a result of 128 and more."""
    c[np.abs(c) >= 128] = 0
    return c


@result_fault(lambda s: filled(s) and s.m == 15, checks=("rows",))
def fifteen_rows(c: Numbers, sizes: Sizes) -> Numbers:
    """Lose the last column where there are 15 rows."""
    c[..., -1] = 0
    return c


@result_fault(lambda s: filled(s) and s.m < s.n and s.m % 32 == 3, checks=("transposed",))
def wider_than_tall(c: Numbers, sizes: Sizes) -> Numbers:
    """Lose the last row where M is below N, and 3 above a whole 32."""
    c[..., -1, :] = 0
    return c


@call_fault(formats=SINGLE, checks=("view",), routed=True)
def views_rounded_down(call: Call) -> Any:
    """Lose the last bit where an operand is a view: on a known route not a bit may differ."""
    memories = [call.library.memory(one) for one in (call.a, call.b)]
    if all(one.start == 0 and _in_one_piece(one) for one in memories):
        return call.right()
    c = call.product()
    return call.give(_last_bit(c, np.ones(c.shape, bool)))


def _in_one_piece(memory: Memory) -> bool:
    """Tell whether the elements lie one after another, the matrix transposed or not."""
    turned = memory._replace(
        shape=(*memory.shape[:-2], *memory.shape[-2:][::-1]),
        strides=(*memory.strides[:-2], *memory.strides[-2:][::-1]),
    )
    return any(one.strides == dense(one.shape) for one in (memory, turned))
