"""Which sizes does a sweep visit, and which case is it at each of them?"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from pytest_applegpu.cases.case import Case
from pytest_applegpu.operations.drawn import Operands
from pytest_applegpu.problem import MOST

AXES: Final = ("m", "n", "k")
"""What can be swept."""

MOST_SIZES: Final = 4096
"""Sizes of one sweep at the most."""

ALLOWED: Final = (
    "M, N or K with sizes: M=1..256, M=1..256:8 (steps), K=64..4096x2 (powers), N=1,2,96"
)

_RANGE = re.compile(r"([0-9]+)\.\.([0-9]+)(?:([:x])([0-9]+))?")


def parse_sweep(text: str) -> tuple[str, tuple[int, ...]]:
    """Read `M=1..256`: the axis in lower case, and its sizes, rising.

    Raises:
        ValueError: the text is no axis with sizes; the message says what may stand there.
    """
    axis, equals, said = text.partition("=")
    if not equals or axis.lower() not in AXES:
        raise ValueError(f"{text!r} is not {ALLOWED}")
    sizes = sorted({size for word in said.split(",") for size in _sizes(word)})
    if not sizes or sizes[0] < 1 or sizes[-1] > MOST or len(sizes) > MOST_SIZES:
        raise ValueError(f"{text!r}: sizes from 1 to {MOST}, at most {MOST_SIZES} of them")
    return axis.lower(), tuple(sizes)


def _sizes(word: str) -> Sequence[int]:
    if word.isascii() and word.isdigit():
        return (int(word),)
    found = _RANGE.fullmatch(word)
    if found is None:
        raise ValueError(f"{word!r} is not {ALLOWED}")
    first, last, by = int(found[1]), int(found[2]), int(found[4] or 1)
    if found[3] == "x":
        return _powers(word, first, last, by)
    if by < 1 or last > MOST:
        raise ValueError(f"{word!r}: steps from 1 on, sizes up to {MOST}")
    return range(first, last + 1, by)


def _powers(word: str, first: int, last: int, by: int) -> list[int]:
    if by < 2 or first < 1:
        raise ValueError(f"{word!r}: a first size from 1 on, and a factor from 2 on")
    found = []
    while first <= last:
        found.append(first)
        first *= by
    return found


def at(case: Case, axis: str, size: int) -> Case:
    """Return the case with another size along `axis`.

    Raises:
        ValueError: the operation does not take that size.
    """
    own = {"m": case.problem.m, "n": case.problem.n, "k": case.problem.k} | {axis: size}
    return replace(case, problem=replace(case.problem, m=own["m"], n=own["n"], k=own["k"]))


def cut(operands: Operands, case: Case) -> Operands:
    """Return the operands of a smaller case out of those of a larger one: their first parts."""
    shapes = [one.shape for one in case.problem.operands]
    return type(operands)(
        whole[tuple(slice(length) for length in shape)]
        for whole, shape in zip(operands, shapes, strict=True)
    )


def beside_boundaries(sizes: Sequence[int], route: Callable[[int], str]) -> list[int]:
    """Return, of `sizes`, those on both sides of each change of route, and the first and last."""
    kept = {sizes[0], sizes[-1]}
    for below, above in pairwise(sizes):
        if route(below) != route(above):
            kept |= {below, above}
    return sorted(kept)
