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
from pytest_applegpu.forms.form import Operand
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
    """An error that MLX raised. `sticky`: the process may be spoilt for later calls."""

    text: str
    type: str
    sticky: bool


def call_of(problem: Problem) -> Message:
    """Return the call to MLX, with operands by their numbers in the request."""
    numbers = {one.name: number for number, one in enumerate(problem.operands)}
    said = problem.invocation

    def argument(value: Any) -> Any:
        if isinstance(value, dict) and "operand" in value:
            return {"operand": numbers[value["operand"]]}
        return value

    return {
        "name": said.name,
        "arguments": [argument(one) for one in said.arguments],
        "named": {name: argument(one) for name, one in said.named.items()},
    }


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
    for form, operand, offset in zip(forms, operands, offsets, strict=True):
        around = guard if form.guard is None else form.guard
        arena.put(offset, store(form.placement, operand, around))
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
