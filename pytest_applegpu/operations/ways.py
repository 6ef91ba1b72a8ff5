"""In which other ways can a call be made that MLX transforms, and with which operands each?

* `gradient`: through `vjp`, of all operands that have a gradient, and of each alone;
* `vmap`: through `vmap`, of every choice of operands, over their first axis and over others;
* `compiled`: through `compile`, called with these numbers and then with others;
* `shapeless`: through `compile` for any shape, called at another size first;
* `exported`: exported at another size for any shape, and imported again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import prod
from typing import Any, Final

import numpy as np

from pytest_applegpu.forms.form import Operand
from pytest_applegpu.forms.gathered import picked, said_sorted
from pytest_applegpu.numerics.rounding import Array
from pytest_applegpu.operations.drawn import Drawn, Operands
from pytest_applegpu.problem import Problem
from pytest_applegpu.views import Placement, view

TRANSFORMS: Final = ("gradient", "vmap", "compiled", "shapeless", "exported")
"""Checks that make a call through a transform of MLX's, and compare."""

STACKED: Final = 3
"""Calls that `vmap` makes in one."""

COTANGENT: Final = "cotangent"
"""Name of the operand that a gradient is pulled back from."""

PRIMALS: Final[Mapping[str, tuple[str, ...]]] = {
    "matmul": ("a", "b"),
    "addmm": ("a", "b", "c"),
    "gather_mm": ("a", "b"),
    "block_masked_mm": ("a", "b"),
    "segmented_mm": ("a", "b"),
    "quantized_matmul": ("a",),
    "gather_qmm": ("a",),
    "sdpa": ("q", "k", "v"),
    "conv1d": ("input", "weight"),
    "conv2d": ("input", "weight"),
}
"""The operations that are transformed, and the operands of each that a gradient is asked for."""


@dataclass(frozen=True, slots=True)
class Given:
    """Operands of one call: how each lies in memory, and its numbers."""

    forms: tuple[Operand, ...]
    arrays: Operands


@dataclass(frozen=True, slots=True)
class Way:
    """Another way to make a call.

    Attributes:
        check: the transform.
        name: what is done, in words.
        sets: what the call is made with, the case's own operands first.
        said: what else the worker is told.
        operands: the operands that are mapped, or that a gradient is asked for.
    """

    check: str
    name: str
    sets: tuple[Given, ...]
    said: dict[str, Any] = field(default_factory=dict)
    operands: tuple[str, ...] = ()


def own(problem: Problem, drawn: Drawn) -> Given:
    """Return what a call of `problem` is made with."""
    return Given(problem.operands, drawn.sent)


def gradients_of(problem: Problem, drawn: Drawn, cotangent: Array) -> Iterator[Way]:
    """Yield the ways to gradients; the cotangent has the result's own shape."""
    placement = Placement(cotangent.shape, ())
    form = Operand(COTANGENT, problem.dtype.name, cotangent.shape, placement)
    sets = own(problem, drawn), Given((form,), (cotangent,))
    names = [one.name for one in problem.operands]
    primals = PRIMALS[problem.op]
    for chosen in dict.fromkeys((primals, *((name,) for name in primals))):
        said = {"primals": [names.index(name) for name in chosen]}
        yield Way("gradient", f"gradient of {_and(chosen)}", sets, said, chosen)


def maps_of(problem: Problem, drawn: Drawn) -> Iterator[Way]:
    """Yield a way for each choice of operands that are mapped, along the first axis and others."""
    forms = problem.operands
    sets = tuple(
        Given(forms, tuple(_turned(problem, *pair, turn) for pair in _pairs(problem, drawn)))
        for turn in range(STACKED)
    )
    axes = [len(handed(one)) for one in forms]
    for count in range(1, len(forms) + 1):
        for chosen in combinations(range(len(forms)), count):
            names = tuple(forms[place].name for place in chosen)
            first = [0 if place in chosen else None for place in range(len(forms))]
            # The last axis and the second one in turn, where there is one.
            other = [
                (axes[place] if place % 2 == 0 else min(1, axes[place]))
                if place in chosen
                else None
                for place in range(len(forms))
            ]
            for said in (first, other):
                yield Way("vmap", f"vmap over {_over(names, said)}", sets, {"axes": said}, names)


def _over(names: tuple[str, ...], axes: list[int | None]) -> str:
    places = [str(axis) for axis in axes if axis is not None]
    return f"{_and(names)}, in_axes {', '.join(places)}"


def _and(names: tuple[str, ...]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _pairs(problem: Problem, drawn: Drawn) -> Iterator[tuple[Operand, Array]]:
    return zip(problem.operands, drawn.sent, strict=True)


def handed(form: Operand) -> tuple[int, ...]:
    """Return the shape of an operand as MLX is given it: a vector has its axis less."""
    nothing = np.broadcast_to(np.zeros((), np.int8), form.placement.storage)
    return view(nothing, form.placement.steps).shape


def _turned(problem: Problem, form: Operand, array: Array, turn: int) -> Array:
    """Return an operand as `turn` of the calls that are made in one has it: moved round.

    Sums stay as exact as they are. Indices that are said to rise stay in their order, and what a
    masked query looks for stays where it sees it.
    """
    if form.name in picked(problem) if problem.op.startswith("gather") else False:
        return array if said_sorted(problem) else _rolled(array, turn, (-1,))
    if problem.op == "sdpa" and problem.param("mask") != "none":
        return _rolled(array, turn, (-1,)) if form.name == "v" else array
    return _rolled(array, turn, (-2, -1))


def _rolled(array: Array, turn: int, axes: tuple[int, ...]) -> Array:
    """Return the array moved by `turn` along the first of `axes` that has anything to move."""
    there = [axis for axis in axes if array.ndim >= -axis and array.shape[axis] > 1]
    return np.roll(array, turn, there[0]) if there else array


def call_of(check: str, problem: Problem, drawn: Drawn, other: Given, at: str) -> Way:
    """Return the way of `compiled`, `shapeless` or `exported`, with other operands as well.

    `at` says in words what size these have.
    """
    names = {
        "compiled": "compiled",
        "shapeless": f"compiled without shapes at {at}",
        "exported": f"exported without shapes at {at}",
    }
    return Way(check, names[check], (own(problem, drawn), other))


def others(problem: Problem) -> Iterator[tuple[Problem, str]]:
    """Yield the problem at other sizes of the same call, and say them: fewer rows, then all sizes.

    What is compiled for few rows and called with many is what makes a model answer longer texts.
    """
    rows = _rows(problem)
    if rows != problem.m:
        keys = max(problem.n // 2, 1) if problem.op == "sdpa" else problem.n
        yield replace(problem, m=rows, n=keys), f"M = {rows}"
    m, n, k = _STEPS.get(problem.op, _dense_steps)(problem)
    more = 0 if problem.layout_a == "vec" else m
    cols = 0 if problem.layout_b == "vec" else n
    grown = replace(problem, m=problem.m + more, n=problem.n + cols, k=problem.k + k)
    yield grown, f"{grown.m}x{grown.n}x{grown.k}"


def _rows(problem: Problem) -> int:
    """Return a smaller M that the call may have."""
    width = int(problem.param("width")) if problem.op == "conv2d" else 1
    return max(problem.m // (2 * width), 1) * width


def _dense_steps(_: Problem) -> tuple[int, int, int]:
    return 2, 3, 5


def _packed_steps(problem: Problem) -> tuple[int, int, int]:
    whole = 128  # a multiple of every group and of every word of codes
    return (2, 3, whole) if problem.transpose[1] == "t" else (2, whole, 3)


def _image_steps(problem: Problem) -> tuple[int, int, int]:
    two = problem.op == "conv2d"
    taps = int(problem.param("taps")) ** (2 if two else 1)
    return int(problem.param("width")) if two else 2, 3, 2 * taps


_STEPS: Final[dict[str, Callable[[Problem], tuple[int, int, int]]]] = {
    "quantized_matmul": _packed_steps,
    "gather_qmm": _packed_steps,
    # The scale of scores is a number of the call, which the size of a head gives.
    "sdpa": lambda _: (2, 3, 0),
    "conv1d": _image_steps,
    "conv2d": _image_steps,
}


def why_untransformed(check: str, problem: Problem) -> str | None:
    """Return why `check` has no other way to make a problem's call, or None."""
    if problem.op not in PRIMALS:
        return f"is for {', '.join(PRIMALS)}, not {problem.op}"
    if not prod((*problem.shape_c, problem.m, problem.n, problem.k)):
        return "needs a result and sums of at least one element"
    if check == "gradient" and problem.op == "sdpa" and problem.param("sinks") == "yes":
        return "needs sinks=no"
    return None
