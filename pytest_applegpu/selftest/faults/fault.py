"""What is a fault? A name, where it applies, what it does there, and which cases tell of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .asked import Asked
from .call import Call
from .library import Library
from .sizes import Sizes

Numbers = npt.NDArray[Any]
Where = Callable[[Sizes], bool]
Arguments = dict[str, Any]
Plant = Callable[[Any], Any]
"""Gives the wrong result of a call: a `Call` of `matmul` or an `Asked` of another operation."""

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
        op: the operation that it spoils.
        fills: fills of cases that tell of it; empty: any.
        layouts: layouts, without their number, one of which an operand of such a case has: `pad`
            of A or B, `c=pad` of another operand.
        words: parameters of such cases, and the values of each that tell.
        checks: checks of such cases; empty: any. Those that make two products and compare tell of
            it whatever the sizes of the first.
        recycles: whether it shows what is left in recycled memory.
        routed: whether it can be told only where the route, and so the last bit, is known.
        patience: seconds that a case may take beyond its computed cost; None: as the run has it.
        lenient: whether it answers calls that the library refuses, and no others.
        transform: the transform of the library that it spoils, in place of an operation; `plant`
            is then given the real one, and gives what is put in its place.
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
    op: str = "matmul"
    words: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    recycles: bool = False
    routed: bool = False
    patience: float | None = None
    lenient: bool = False
    transform: str = ""

    def meets(self, sizes: Sizes) -> bool:
        """Tell whether products of this format, with TF32 as it is, can come out wrong."""
        if self.formats and sizes.dtype not in self.formats:
            return False
        return not (self.tf32_off and sizes.tf32)

    def applies(self, sizes: Sizes) -> bool:
        """Tell whether a product of these sizes comes out wrong."""
        return self.meets(sizes) and self.where(sizes)


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


Given = Callable[[Asked], Any]


def given_fault(op: str, where: Where = filled, **telling: Any) -> Callable[[Given], Given]:
    """Add a function that answers a whole call of the operation `op`."""

    def add(function: Given) -> Given:
        _add(function, function, where, telling | {"op": op})
        return function

    return add


Lenient = Callable[[Library, Callable[..., Any], Arguments], Any]
"""Answers a refused call, or returns None: of the library, the call made again with others in place
of some arguments, and all arguments by name."""


def lenient_fault(op: str, **telling: Any) -> Callable[[Lenient], Lenient]:
    """Add a function that accepts what the library refuses of the operation `op`."""

    def add(function: Lenient) -> Lenient:
        own = {"op": op, "lenient": True, "checks": ("refusal",)}
        _add(function, lambda call: function(*call), filled, telling | own)
        return function

    return add


Answer = Callable[[Numbers, Asked], Numbers]


def answer_fault(op: str, where: Where = filled, **telling: Any) -> Callable[[Answer], Answer]:
    """Add a function of the right result of the operation `op`, a copy, and of the call."""

    def add(function: Answer) -> Answer:
        def answer(call: Asked) -> Any:
            with np.errstate(all="ignore"):
                return call.give(function(call.product(), call))

        _add(function, answer, where, telling | {"op": op})
        return function

    return add


def transform_fault(
    transform: str, where: Where = filled, **telling: Any
) -> Callable[[Plant], Plant]:
    """Add a function that is given a transform of the library, and gives one in its place."""

    def add(function: Plant) -> Plant:
        _add(function, function, where, telling | {"transform": transform})
        return function

    return add


def _add(function: Callable[..., Any], answer: Plant, where: Where, telling: Any) -> None:
    name = function.__name__
    breaks = (function.__doc__ or "").strip().rstrip(".")
    FAULTS[name] = Fault(
        name, function.__module__.rpartition(".")[2], breaks, where, answer, **telling
    )
