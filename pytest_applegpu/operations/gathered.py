"""`gather_mm`: products of matrices that are picked from two stacks."""

from __future__ import annotations

from math import prod

import numpy as np

from pytest_applegpu.forms.gathered import picked, picks
from pytest_applegpu.numerics.rounding import Array
from pytest_applegpu.operations.drawn import Drawn, Pencil
from pytest_applegpu.problem import Problem

_FEW = 2
"""How many matrices of a stack a sparse order picks at the most, the last one among them."""


def gather_mm(pencil: Pencil) -> Drawn:
    """Draw both stacks, and which matrices of them are multiplied."""
    A, B = pencil.pair()
    chosen = indices(pencil)
    sent = (A, B, *(chosen[name] for name in picked(pencil.problem)))
    if not pencil.judged:
        return Drawn(sent, A, B)  # thousands of copies of a matrix are no use to a clock
    left, right = effective(pencil.problem, chosen)
    return Drawn(sent, pick(A, left), pick(B, right))


def indices(pencil: Pencil) -> dict[str, Array]:
    """Draw the index operands by their names, uint32, of the shape of the result's batch."""
    problem = pencil.problem
    stacks = {"lhs": problem.batch_a, "rhs": problem.batch_b}
    return {
        name: _drawn(pencil, prod(stacks[name])).reshape(picks(problem)) for name in picked(problem)
    }


def _drawn(pencil: Pencil, stack: int) -> Array:
    """Draw indices into a stack in the order that the problem says."""
    rng, order = pencil.rng, pencil.problem.param("order")
    count = prod(picks(pencil.problem))
    if order == "same":
        chosen = np.full(count, rng.integers(stack))
    elif order == "sparse":
        few = np.append(rng.integers(0, stack, _FEW - 1), stack - 1)
        chosen = np.sort(rng.choice(few, count))
    else:
        chosen = rng.integers(0, stack, count)
        chosen = np.sort(chosen) if order == "sorted" else chosen
    return chosen.astype(np.uint32)


def effective(problem: Problem, chosen: dict[str, Array]) -> tuple[Array, Array]:
    """Return the indices of both operands; one without is taken in its own order."""
    shape = picks(problem)
    own = np.arange(prod(shape)).reshape(shape)
    return chosen.get("lhs", own), chosen.get("rhs", own)


def pick(stack: Array, index: Array) -> Array:
    """Return the matrices of a stack (*batch, R, C) at flat indices, shape (*index, R, C)."""
    return stack.reshape(prod(stack.shape[:-2]), *stack.shape[-2:])[index]
