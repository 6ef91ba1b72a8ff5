"""What is a set of shapes? Problems with their counts, and where they come from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from pytest_applegpu.problem import Problem

PHASES: Final = ("prefill", "decode")
"""A prompt taken in at once, and one token after another."""


class ShapesError(ValueError):
    """A set that is not there, or a file that is none; the message names what is wrong in it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One problem of a set.

    Attributes:
        problem: what is multiplied.
        count: how often, in one pass or in one run of a program.
        phase: `prefill`, `decode`, or nothing where that is not known.
        part: which part of a model it is.
        within: transforms of MLX in which it was met, as in `compile`.
        note: in what it differs from what a program multiplied.
    """

    problem: Problem
    count: int = 1
    phase: str = ""
    part: str = ""
    within: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Left:
    """What a program multiplied and no problem says."""

    call: str
    reason: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class ShapeSet:
    """A set of shapes; `source` says where it comes from, `how` what there is to know of it.

    `tokens` is how many a prefill takes in; 0 where that is not known.
    """

    name: str
    source: str
    shapes: tuple[Shape, ...]
    left: tuple[Left, ...] = ()
    how: str = ""
    tokens: int = 0

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return its problems, each once."""
        return tuple(dict.fromkeys(one.problem for one in self.shapes))


def merged(shapes: Iterable[Shape]) -> tuple[Shape, ...]:
    """Add up the counts of shapes that differ in their part, or in nothing."""
    found: dict[Shape, list[Shape]] = {}
    for one in shapes:
        found.setdefault(replace(one, count=1, part=""), []).append(one)
    return tuple(
        replace(key, count=sum(one.count for one in group), part=_parts(group))
        for key, group in found.items()
    )


def _parts(group: list[Shape]) -> str:
    return ", ".join(dict.fromkeys(one.part for one in group if one.part))
