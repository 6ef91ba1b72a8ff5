"""What of a problem does no recording show, so that copies may be missing from its route?"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_applegpu.forms.masked import MASKS
from pytest_applegpu.problem import Problem
from pytest_applegpu.routing.launch import Reason
from pytest_applegpu.routing.placements import placed

RULE = "not recorded: copies that MLX may make are not predicted"


def unrecorded(problem: Problem) -> tuple[Reason, ...]:
    """Return a reason where an operand lies, or is left out, as none does in a recording."""
    values = (*_spread(problem), *_filled_in(problem))
    return (Reason(RULE, ", ".join(values)),) if values else ()


def _spread(problem: Problem) -> Iterator[str]:
    """Yield operands with gaps that were recorded without them alone."""
    if not problem.layouts or problem.op not in _NEVER_SPREAD:
        return
    for one in problem.operands:
        if one.name not in _NEVER_SPREAD[problem.op]:
            continue
        if not placed(one.placement, "uint32").row_contiguous:
            yield f"{one.name}={problem.layout(one.name)}"


def _filled_in(problem: Problem) -> Iterator[str]:
    """Yield masks of attention of other shapes than a matrix.

    And the mask that MLX makes up, of truth values, beside one of numbers.
    """
    if problem.op == "sdpa" and problem.param("mask") in {"bool", "add"}:
        if problem.param("over") != "matrix":
            yield f"mask over={problem.param('over')}"
        return
    if problem.op != "block_masked_mm" or problem.param("kind") == "bool":
        return
    missing = {"l", "r"} - set(problem.param("masks"))
    if len(missing) == 1:
        yield f"no {MASKS[missing.pop()]} beside masks of numbers"


_INDICES = frozenset({"lhs", "rhs"})

_NEVER_SPREAD = {
    "gather_mm": _INDICES,
    "gather_qmm": _INDICES | {"w", "scales", "biases"},
    "block_masked_mm": frozenset(MASKS.values()),
    "qqmm": frozenset({"w", "scales"}),
    "sdpa": frozenset({"mask", "sinks"}),
}
"""Operands that no recording has with gaps, by operation."""
