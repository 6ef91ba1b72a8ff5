"""`addmm`: factors that are ignored, addends that go astray."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from .asked import Asked
from .fault import Numbers, answer_fault, filled, given_fault
from .sizes import Sizes

_NOT_ONE: Final = ("0", "-1", "0.5", "2", "-0.25")
_NOT_ZERO: Final = ("1", "-1", "0.5", "2", "-0.25")
_NEITHER: Final = ("-1", "0.5", "2", "-0.25")


def _shown(sizes: Sizes) -> bool:
    """Apply wherever there is a result, even without a K: an addend is there still."""
    return bool(sizes.matrices and sizes.m and sizes.n)


def _factor(call: Asked, name: str) -> float:
    return float(call.given.get(name, 1.0))


@given_fault("addmm", words={"alpha": _NOT_ONE}, fills=("integer",))
def alpha_ignored(call: Asked) -> Any:
    """Take alpha for 1."""
    return call.right(alpha=1.0)


@given_fault("addmm", _shown, words={"beta": _NOT_ONE}, fills=("integer",))
def beta_ignored(call: Asked) -> Any:
    """Take beta for 1."""
    return call.right(beta=1.0)


@given_fault("addmm", words={"alpha": _NOT_ONE, "beta": _NOT_ZERO}, fills=("integer",))
def alpha_on_addend(call: Asked) -> Any:
    """Multiply the addend by alpha too."""
    return call.right(beta=_factor(call, "alpha") * _factor(call, "beta"))


@given_fault("addmm", lambda s: s.k == 0 and _shown(s), words={"beta": _NEITHER})
def beta_forgotten_without_k(call: Asked) -> Any:
    """Take beta for 1 where K is 0."""
    return call.right(beta=1.0)


@given_fault("addmm", lambda s: filled(s) and s.k >= 1024, words={"beta": _NOT_ZERO})
def addend_in_each_partition(call: Asked) -> Any:
    """Add the addend once for each of two partitions of a long K."""
    return call.right(beta=2 * _factor(call, "beta"))


@answer_fault("addmm", lambda s: filled(s) and s.m % 32 != 0, words={"beta": _NOT_ZERO})
def addend_off_tile(c: Numbers, call: Asked) -> Numbers:
    """Drop the addend in the rows past the last whole 32."""
    rows = call.sizes.m - call.sizes.m % 32
    c[..., rows:, :] = call.shaped(call.right(beta=0.0))[..., rows:, :]
    return c


@given_fault(
    "addmm",
    lambda s: _shown(s) and s.m > 1 and s.n > 1,
    words={"addend": ("row",), "beta": _NOT_ZERO},
    fills=("integer",),
)
def addend_row_as_column(call: Asked) -> Any:
    """Add the elements of a single row each to a row of the result, not to a column."""
    c = call.numbers("c")
    if c.shape != (1, call.sizes.n):
        return call.right()
    return call.made(c=c.reshape(-1)[np.arange(call.sizes.m) % c.size][:, None])


@given_fault(
    "addmm",
    lambda s: _shown(s) and s.matrices > 1,
    words={"addend": ("full",), "beta": _NOT_ZERO},
    fills=("integer",),
)
def addend_of_first_batch(call: Asked) -> Any:
    """Add to every matrix of a batch what is meant for the first."""
    c = call.numbers("c")
    return call.made(c=np.broadcast_to(c[(0,) * (c.ndim - 2)], c.shape))


@given_fault(
    "addmm",
    _shown,
    words={"beta": _NOT_ZERO},
    layouts=("c=pad", "c=step"),
    fills=("integer", "normal"),
)
def addend_in_one_piece(call: Asked) -> Any:
    """Read an addend that is a view as if it lay in one piece."""
    return call.made(c=call.densely("c"))
