"""What is asked of a worker about one problem, and what it answers.

Operands go into shared memory as storages with guards of NaN round every view; the worker takes
the same steps that `views` takes here.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.problem import Problem
from pytest_applegpu.views import Placement, store
from pytest_applegpu.worker.arena import Arena, aligned
from pytest_applegpu.worker.process import Message

_VIA: Final = {"matmul": "via"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one multiplication.

    `results` holds the first result and, where a repetition gave other bits, the first that did;
    `digests` has one entry a repetition; `changed` names the operands, A or B, whose storage was
    not left as it was.
    """

    results: tuple[np.ndarray, ...]
    digests: tuple[str, ...]
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error that MLX raised. `sticky`: the process may be spoilt for later calls."""

    text: str
    type: str
    sticky: bool


def operation_of(problem: Problem) -> list[str]:
    """Return the operation and the way it is called."""
    return [problem.op, problem.param(_VIA[problem.op])]


def place_operands(
    problem: Problem, a: np.ndarray, b: np.ndarray, arena: Arena, guard: float = np.nan
) -> Message:
    """Write A and B (logical arrays) into `arena`; return the part of a request that says where.

    `guard` stands wherever a storage is no part of its operand.

    Raises:
        OSError: there is no room for them.
    """
    placements = (problem.placement_a, problem.placement_b)
    sizes = [aligned(prod(place.storage) * problem.dtype.itemsize) for place in placements]
    free = sum(sizes)
    result = aligned(prod(problem.shape_c) * problem.dtype.itemsize)
    arena.reserve(max(free + 2 * result, 1))
    offsets = (0, sizes[0])
    for placement, operand, offset in zip(placements, (a, b), offsets, strict=True):
        arena.put(offset, store(placement, operand, guard))
    return {
        "operation": operation_of(problem),
        "operands": [_spec(problem, *pair) for pair in zip(placements, offsets, strict=True)],
        "free": free,
    }


def _spec(problem: Problem, placement: Placement, offset: int) -> Message:
    return {
        "dtype": problem.dtype.name,
        "storage": list(placement.storage),
        "steps": [list(step) for step in placement.steps],
        "offset": offset,
    }


def read_answer(answer: Message, arena: Arena) -> Answer:
    """Copy the results out of `arena`."""
    results = tuple(_result(found, arena) for found in answer["results"])
    return Answer(results, tuple(answer["digests"]), tuple(answer["changed"]))


def _result(found: dict[str, Any], arena: Arena) -> np.ndarray:
    known = DTYPES.get(found["dtype"])
    dtype = known.numpy if known else np.dtype(found["dtype"].removesuffix("_"))
    return arena.get(found["offset"], dtype, tuple(found["shape"]))
