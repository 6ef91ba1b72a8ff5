"""Which other call must give the same result as a call that was made?

* `scaling`: operands times powers of two give the result times their product, unless one of them
  leaves the range of its format: then there is no such call;
* `rows`: the first rows of A alone give the first rows of the result;
* `view`: copies in plain order give what views of other memory give;
* `transposed`: B transposed times A transposed gives the result transposed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from pytest_applegpu.numerics.epilogue import Epilogue
from pytest_applegpu.numerics.rounding import Array
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.problem import Problem

ROWS: Final = (1, 2, 15, 16, 64)
"""Rows that are tried alone: a vector, both sides of a tile of 16, a tile of 64."""

POWERS: Final = {"a": 3, "b": 2, "scales": 2, "biases": 2}
"""Powers of two by which operands grow; growth keeps subnormal ones exact."""


@dataclass(frozen=True, slots=True)
class Twin:
    """Another call, and how its result is to be read.

    Attributes:
        name: what is different, in words.
        problem: what is multiplied.
        drawn: its operands and the product that they stand for.
        rows: how many rows of the first result it gives; None for all.
        power: by which power of two it is larger.
        turned: whether it is the first result transposed.
    """

    name: str
    problem: Problem
    drawn: Drawn
    rows: int | None = None
    power: int = 0
    turned: bool = False


def twins(check: str, problem: Problem, drawn: Drawn) -> Iterator[Twin]:
    """Yield the calls that `check` compares with the one of `problem`.

    Raises:
        KeyError: there is no such check.
    """
    yield from _MAKERS[check](problem, drawn)


def _scaling(problem: Problem, drawn: Drawn) -> Iterator[Twin]:
    numbers = {one.name for one in problem.operands if one.dtype == problem.dtype.name}
    right = next((POWERS[name] for name in ("b", "scales") if name in numbers), 0)
    total = POWERS["a"] + right
    powers = POWERS | {"c": total}
    sent = tuple(
        _grown(array, powers.get(one.name, 0))
        for one, array in zip(problem.operands, drawn.sent, strict=True)
    )
    if any(map(_overflowed, drawn.sent, sent)):
        return
    addend = drawn.epilogue.addend
    epilogue = replace(
        drawn.epilogue, addend=None if addend is None else np.ldexp(1.0, total) * addend
    )
    grown = Drawn(sent, _grown(drawn.A, POWERS["a"]), _grown(drawn.B, right), epilogue)
    yield Twin(f"operands times powers of two, 2**{total} together", problem, grown, power=total)


def _grown(array: Array, power: int) -> Array:
    if not power or array.dtype.kind in "ub":  # codes, indices and masks
        return array
    with np.errstate(over="ignore"):
        grown: Array = (array * np.asarray(2.0**power, array.dtype)).astype(array.dtype)
    return grown


def _overflowed(array: Array, grown: Array) -> bool:
    return bool((np.isfinite(array) & ~np.isfinite(grown)).any())


def _rows(problem: Problem, drawn: Drawn) -> Iterator[Twin]:
    for rows in ROWS:
        if rows >= problem.m:
            return
        fewer = replace(problem, m=rows)
        sent = tuple(
            _cut(array, one.shape) for array, one in zip(drawn.sent, fewer.operands, strict=True)
        )
        plural = "row" if rows == 1 else "rows"
        part = Drawn(sent, drawn.A[..., :rows, :], drawn.B, _cut_epilogue(drawn.epilogue, rows))
        yield Twin(f"the first {rows} {plural} alone", fewer, part, rows=rows)


def _cut(array: Array, shape: tuple[int, ...]) -> Array:
    return array[tuple(slice(0, size) for size in shape)]


def _cut_epilogue(epilogue: Epilogue, rows: int) -> Epilogue:
    addend, scale = (
        None if one is None else one[..., :rows, :] for one in (epilogue.addend, epilogue.scale)
    )
    return replace(epilogue, addend=addend, scale=scale)


def _view(problem: Problem, drawn: Drawn) -> Iterator[Twin]:
    plain = replace(problem, layout_a="plain", layout_b="plain", layouts=())
    if plain != problem:
        yield Twin("plain copies of the operands", plain, drawn)


def _transposed(problem: Problem, drawn: Drawn) -> Iterator[Twin]:
    flip = {"n": "t", "t": "n"}
    left, right = problem.transpose[0], problem.transpose[1]
    turned = replace(
        problem,
        m=problem.n,
        n=problem.m,
        transpose=flip[right] + flip[left],
        batch_a=problem.batch_b,
        batch_b=problem.batch_a,
        layout_a=problem.layout_b,
        layout_b=problem.layout_a,
    )
    pair = np.swapaxes(drawn.B, -1, -2), np.swapaxes(drawn.A, -1, -2)
    # `inner` takes its second operand transposed.
    inner = problem.param("via") == "inner"
    sent = (pair[0], drawn.A) if inner else pair
    yield Twin("B transposed times A transposed", turned, Drawn(sent, *pair), turned=True)


_MAKERS = {"scaling": _scaling, "rows": _rows, "view": _view, "transposed": _transposed}

_LINEAR: Final = frozenset(
    {
        "matmul",
        "addmm",
        "gather_mm",
        "block_masked_mm",
        "segmented_mm",
        "quantized_matmul",
        "gather_qmm",
        "linear",
        "quantized_linear",
    }
)
"""Operations whose result is a product of A, and so linear in it, row by row."""

OPERATIONS: Final[dict[str, frozenset[str]]] = {
    "scaling": _LINEAR,
    "rows": _LINEAR,
    "view": _LINEAR,
    "transposed": frozenset({"matmul"}),
}
"""The operations that each check is made for."""


def why_alone(check: str, problem: Problem) -> str | None:
    """Return why `check` has no other call to compare a problem's with, or None."""
    if problem.op not in OPERATIONS[check]:
        return f"is for {', '.join(sorted(OPERATIONS[check]))}, not {problem.op}"
    if check == "rows" and problem.m <= ROWS[0]:
        return "needs M of 2 and more"
    plain = {problem.layout_a, problem.layout_b} == {"plain"} and not problem.layouts
    if check == "view" and plain:
        return "needs an operand that is a view, as in a=pad:8"
    if check == "transposed" and "vec" in {problem.layout_a, problem.layout_b}:
        return "needs matrices"
    return None
