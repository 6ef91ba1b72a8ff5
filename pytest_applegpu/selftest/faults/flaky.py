"""Right mostly: faults that come and go, and calls that leave something behind."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call import Call
from .fault import Numbers, call_fault
from .sizes import REAL


def _off_by(call: Call, amount: float) -> Any:
    """Return the right result but for its first element."""
    c = call.product()
    c.reshape(-1)[0] += np.asarray(amount, c.dtype)
    return call.give(c)


@call_fault()
def one_call_in_forty(call: Call) -> Any:
    """Add 3 to the first element of every fortieth result."""
    return _off_by(call, 3) if call.state.calls % 40 == 0 else call.right()


@call_fault()
def first_call(call: Call) -> Any:
    """Add 3 to the first element of the first result of a process."""
    return _off_by(call, 3) if call.state.calls == 1 else call.right()


@call_fault()
def first_of_a_format(call: Call) -> Any:
    """Add 3 to the first element of the first result of each format in a process."""
    name = call.sizes.dtype
    if name in call.state.results:
        return call.right()
    call.state.results[name] = np.zeros(0)
    return _off_by(call, 3)


@call_fault()
def stale_result(call: Call) -> Any:
    """Return the result before this one, if it had the same shape and format."""
    key, c = (call.shape, call.sizes.dtype), call.product()
    before = call.state.results.get(key, c)
    call.state.results = {key: c}
    return call.give(before)


def last_bit(c: Numbers) -> Numbers:
    """Move the first element by one spacing, unless all are whole numbers."""
    with np.errstate(all="ignore"):
        whole = bool(np.all(c == np.round(c)))
    if not whole:
        flat = c.reshape(-1)
        flat[0] = np.nextafter(flat[0], flat.dtype.type(0))
    return c


@call_fault(formats=REAL - {"bfloat16"}, checks=("repeat",), fills=("normal",))
def last_bit_at_random(call: Call) -> Any:
    """Round every other result that is not whole differently in its last bit."""
    return call.give(last_bit(call.product())) if call.state.calls % 2 else call.right()


def _write(call: Call, array: Any) -> Any:
    """Overwrite one word of an operand once the result is there."""
    result = call.right()
    call.library.core.eval(result)
    words = call.library.words(array)
    words[(0,) * words.ndim] = 0x429A if call.sizes.dtype == "bfloat16" else 77
    return result


@call_fault()
def first_operand_changed(call: Call) -> Any:
    """Write into the memory of A."""
    return _write(call, call.a)


@call_fault()
def second_operand_changed(call: Call) -> Any:
    """Write into the memory of B."""
    return _write(call, call.b)


@call_fault()
def raises_at_times(call: Call) -> Any:
    """Fail every thirtieth call with a device error."""
    if call.state.calls % 30 == 0:
        raise RuntimeError("[METAL] Command buffer execution failed: Discarded")
    return call.right()
