"""What is a fault? A name, where it applies, what it does there, and which cases tell of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .call import Call
from .sizes import Sizes

Numbers = npt.NDArray[Any]
Where = Callable[[Sizes], bool]
Plant = Callable[[Call], Any]

NONE = "none"
"""Name of the fault that is none: every product goes the way of the others, and stays right."""


class Fault(NamedTuple):
    """One way to be wrong.

    Attributes:
        name: what it is called on the command line.
        group: which module it is in.
        breaks: what it does, in words.
        where: on which sizes it applies.
        formats: formats that it can apply to; empty: any.
        tf32_off: whether it applies only where TF32 is off.
        plant: gives the wrong result of a call it applies to.
        fills: fills of cases that tell of it; empty: any.
        layouts: layouts, without their number, one of which an operand of such a case has.
        checks: checks of such cases; empty: any.
        patience: seconds that a case may take beyond its computed cost; None: as the run has it.
    """

    name: str
    group: str
    breaks: str
    where: Where
    plant: Plant
    formats: frozenset[str] = frozenset()
    tf32_off: bool = False
    fills: tuple[str, ...] = ()
    layouts: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    patience: float | None = None

    def applies(self, sizes: Sizes) -> bool:
        """Tell whether a product of these sizes comes out wrong."""
        if self.formats and sizes.dtype not in self.formats:
            return False
        return self.where(sizes) and not (self.tf32_off and sizes.tf32)


FAULTS: dict[str, Fault] = {}
"""Every fault by its name, in the order of the table; modules add theirs as they are imported."""


def filled(sizes: Sizes) -> bool:
    """Apply wherever there is something to get wrong."""
    return sizes.filled


def call_fault(
    where: Where = filled, **telling: Any
) -> Callable[[Callable[[Call], Any]], Callable[[Call], Any]]:
    """Add a function that answers a whole call."""

    def add(function: Callable[[Call], Any]) -> Callable[[Call], Any]:
        _add(function, function, where, telling)
        return function

    return add


Spoil = Callable[[Numbers, Sizes], Numbers]


def result_fault(where: Where = filled, **telling: Any) -> Callable[[Spoil], Spoil]:
    """Add a function of the right result, shape (*batch, M, N), a copy, and of the sizes."""

    def add(function: Spoil) -> Spoil:
        def answer(call: Call) -> Any:
            return call.give(function(call.product(), call.sizes))

        _add(function, answer, where, telling)
        return function

    return add


Respoil = Callable[[Numbers, Numbers, Sizes], tuple[Numbers, Numbers]]


def operands_fault(where: Where = filled, **telling: Any) -> Callable[[Respoil], Respoil]:
    """Add a function of both operands, (*batch_a, M, K) and (*batch_b, K, N), and of the sizes.

    What it returns is multiplied rightly.
    """

    def add(function: Respoil) -> Respoil:
        def answer(call: Call) -> Any:
            with np.errstate(all="ignore"):
                a, b = function(*call.operands(), call.sizes)
            return call.give(call.multiply(a, b))

        _add(function, answer, where, telling)
        return function

    return add


def _add(function: Callable[..., Any], answer: Plant, where: Where, telling: Any) -> None:
    name = function.__name__
    breaks = (function.__doc__ or "").strip().rstrip(".")
    FAULTS[name] = Fault(
        name, function.__module__.rpartition(".")[2], breaks, where, answer, **telling
    )
