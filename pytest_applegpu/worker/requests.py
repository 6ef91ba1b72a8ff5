"""What is asked of a worker about one problem, and what it answers.

Operands go into shared memory as storages with guards of NaN round every view; the worker takes
the same steps that `views` takes here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import Any, Final

import numpy as np

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.forms.flaws.flaw import Call
from pytest_applegpu.forms.form import Invocation, Operand
from pytest_applegpu.operations.ways import Way
from pytest_applegpu.problem import Problem, itemsize
from pytest_applegpu.views import store
from pytest_applegpu.worker.arena import Arena, aligned
from pytest_applegpu.worker.process import Message

_SINGLE: Final = 4

_MOST_POISON: Final = 1 << 26
"""Bytes up to which memory is poisoned: larger results would cost more than they are worth."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one multiplication.

    `results` holds the first result and, where a repetition gave other bits, the first that did;
    `digests` has one entry a repetition; `changed` names the operands whose storage was
    not left as it was.
    """

    results: tuple[np.ndarray, ...]
    digests: tuple[str, ...]
    changed: tuple[str, ...] = ()
    more: tuple[np.ndarray, ...] = ()
    """Further arrays that the first call gave beside its first one."""

    @property
    def parts(self) -> tuple[np.ndarray, ...]:
        """All arrays of the first call."""
        return (self.results[0], *self.more)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error that MLX raised.

    `sticky`: the process may be spoilt for later calls. `late`: it was raised where the result was
    evaluated, and not by the call.
    """

    text: str
    type: str
    sticky: bool
    late: bool = False


def call_of(problem: Problem) -> Message:
    """Return the call to MLX, with operands by their numbers in the request."""
    return _call(problem.operands, problem.invocation)


def _call(forms: Sequence[Operand], said: Invocation) -> Message:
    numbers = {one.name: number for number, one in enumerate(forms)}

    def argument(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        if "operand" in value:
            return {"operand": numbers[value["operand"]]}
        return {name: argument(one) for name, one in value.items()}

    call = {
        "name": said.name,
        "arguments": [argument(one) for one in said.arguments],
        "named": argument(said.named),
    }
    if said.layer is not None:
        call["layer"] = {
            "arguments": list(said.layer.arguments),
            "named": dict(said.layer.named),
            "parameters": argument(said.layer.parameters),
        }
    return call


def place_way(problem: Problem, way: Way, arena: Arena) -> Message:
    """Write every set of operands of a way into `arena`; return the request for it.

    Raises:
        OSError: there is no room for them.
    """
    specs: list[list[Message]] = []
    free = 0
    for one in way.sets:
        sizes = [aligned(prod(form.placement.storage) * itemsize(form.dtype)) for form in one.forms]
        *offsets, free = accumulate(sizes, initial=free)
        specs.append([_spec(*pair) for pair in zip(one.forms, offsets, strict=True)])
    arena.reserve(max(free, 1))
    for one, placed in zip(way.sets, specs, strict=True):
        _put(arena, one.forms, one.arrays, [spec["offset"] for spec in placed], np.nan)
    return {
        "call": call_of(problem),
        "sets": specs,
        "way": way.check,
        "said": way.said,
        "free": free,
        "poison": _recycled(problem),
    }


def place_call(call: Call, arena: Arena) -> Message:
    """Write the numbers of any call into `arena`; return the part of a request that says where.

    Raises:
        OSError: there is no room for them.
    """
    pairs = list(zip(call.forms, call.arrays, strict=True))
    sizes = [aligned(prod(form.placement.storage) * array.itemsize) for form, array in pairs]
    *offsets, free = accumulate(sizes, initial=0)
    arena.reserve(max(free, 1))
    _put(arena, call.forms, call.arrays, offsets, np.nan)
    return {
        "call": _call(call.forms, call.invocation),
        "operands": [_spec(*pair) for pair in zip(call.forms, offsets, strict=True)],
        "free": free,
        "poison": [],
    }


def _put(
    arena: Arena,
    forms: Sequence[Operand],
    operands: Sequence[np.ndarray],
    offsets: Sequence[int],
    guard: float,
) -> None:
    for form, operand, offset in zip(forms, operands, offsets, strict=True):
        around = guard if form.guard is None else form.guard
        arena.put(offset, store(form.placement, operand, around))


def place_operands(
    problem: Problem, operands: Sequence[np.ndarray], arena: Arena, guard: float = np.nan
) -> Message:
    """Write logical arrays into `arena`; return the part of a request that says where.

    `guard` stands wherever a storage of numbers is no part of its operand.

    Raises:
        OSError: there is no room for them.
    """
    forms = problem.operands
    sizes = [aligned(prod(one.placement.storage) * itemsize(one.dtype)) for one in forms]
    *offsets, free = accumulate(sizes, initial=0)
    result = aligned(prod(problem.shape_c) * problem.dtype.itemsize)
    arena.reserve(max(free + 2 * result, 1))
    _put(arena, forms, operands, offsets, guard)
    return {
        "call": call_of(problem),
        "operands": [_spec(*pair) for pair in zip(forms, offsets, strict=True)],
        "free": free,
        "poison": _recycled(problem),
    }


def _recycled(problem: Problem) -> list[int]:
    """Return the sizes in bytes of memory that the call is likely to be given: see `poison`.

    They are the result's, twice, and those of float32 partial sums in up to four partitions.
    """
    elements = prod(problem.shape_c)
    own = elements * problem.dtype.itemsize
    partial = (elements * _SINGLE * parts for parts in (1, 2, 4))
    return [size for size in (own, own, *partial) if 0 < size <= _MOST_POISON]


def _spec(operand: Operand, offset: int) -> Message:
    return {
        "name": operand.name.upper() if operand.name in {"a", "b"} else operand.name,
        "dtype": operand.dtype,
        "storage": list(operand.placement.storage),
        "steps": [list(step) for step in operand.placement.steps],
        "offset": offset,
    }


def read_answer(answer: Message, arena: Arena) -> Answer:
    """Copy the results out of `arena`."""
    results = tuple(_result(found, arena) for found in answer["results"])
    more = tuple(_result(found, arena) for found in answer["results"][0].get("more", ()))
    return Answer(results, tuple(answer["digests"]), tuple(answer["changed"]), more)


def _result(found: dict[str, Any], arena: Arena) -> np.ndarray:
    known = DTYPES.get(found["dtype"])
    dtype = known.numpy if known else np.dtype(found["dtype"].removesuffix("_"))
    return arena.get(found["offset"], dtype, tuple(found["shape"]))
