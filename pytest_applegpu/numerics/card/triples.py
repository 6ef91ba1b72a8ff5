"""Which terms of a sum meet before which? Told by what a large number swallows.

Three terms, L, s and -L, and zeros elsewhere: where L and -L meet first, s comes out whole; where
s meets one of them first, it is lost, if it lies too far below. The three ways to put s at one of
three positions show how these are added, in whatever order a kernel takes them:

* added two at a time (a chain, lanes, a tree): some two of the three meet first. s is lost where
  it is one of these, and kept where it is the third. So one or two ways of three lose it.
* aligned to the largest and cut, then added all at once: s is lost in every way (Fasi et al. 2021:
  the terms of a tensor core's block, and its accumulator, are added "on the largest").
* added exactly, and rounded once afterwards: s is kept in every way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from pytest_applegpu.numerics.card.ask import Ask, UnansweredError
from pytest_applegpu.numerics.rounding import Array

Three = tuple[int, int, int]


class Way(NamedTuple):
    """Positions of L, s and -L."""

    large: int
    small: int
    minus: int


_LARGE: Final = 1.5
"""Significand of L: neither s nor -s leads from it to numbers that lie closer."""


@dataclass(frozen=True, slots=True)
class Range:
    """Largest exponent of a term, and how many binary places s may lie below L."""

    top: int
    widest: int


RANGES: Final = {"float64": Range(100, 200), "float16": Range(15, 29)}
RANGE: Final = Range(60, 120)
"""That of float32, bfloat16 and complex64."""


def range_of(ask: Ask) -> Range:
    """Return the range of terms that the format holds as normal numbers."""
    return RANGES.get(ask.dtype.name, RANGE)


def ways(three: Three) -> tuple[Way, Way, Way]:
    """Return the three ways to put s at one of three positions."""
    x, y, z = three
    return Way(y, x, z), Way(x, y, z), Way(x, z, y)


def meetings(three: Three, lost: Sequence[Way]) -> tuple[Way, ...]:
    """Return ways that lose s, turned so that s meets L first where that can be told.

    Where two ways of three lose s, s is in them at the two positions that meet first.
    """
    if len(lost) != len(three) - 1:
        return tuple(lost)
    one, other = (way.small for way in lost)
    (last,) = set(three) - {one, other}
    return Way(other, one, last), Way(one, other, last)


def kept(ask: Ask, asked: Sequence[tuple[Way, int]]) -> Array:
    """Return whether s comes out whole for each way and number of places it lies below L.

    Raises:
        UnansweredError: there is no result, or one that is not finite.
    """
    top = range_of(ask).top
    lines = np.zeros((len(asked), ask.k))
    for line, (way, places) in zip(lines, asked, strict=True):
        line[[*way]] = _LARGE * 2.0**top, 2.0 ** (top - places), -_LARGE * 2.0**top
    got = ask.dots(np.ones(ask.k), lines)
    if not np.isfinite(got).all():
        raise UnansweredError(f"sums of {_LARGE} * 2**{top} and its negative are not finite")
    small: Array = 2.0 ** np.array([top - places for _, places in asked])
    whole: Array = got == small
    return whole


def lost(ask: Ask, threes: Iterable[Three]) -> dict[Three, tuple[Way, ...]]:
    """Return the ways that lose the smallest s, for each three positions (see `meetings`)."""
    widest = range_of(ask).widest
    every = [(three, way) for three in threes for way in ways(three)]
    whole = kept(ask, [(way, widest) for _, way in every])
    found: dict[Three, tuple[Way, ...]] = {three: () for three, _ in every}
    for (three, way), came in zip(every, whole, strict=True):
        if not came:
            found[three] += (way,)
    return {three: meetings(three, some) for three, some in found.items()}
