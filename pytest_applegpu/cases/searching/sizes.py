"""Which sizes, numbers and layouts does a search draw?

Sizes are log-uniform, or lie at a power of two or a few of them, or one beside it; 0 and 1 come up.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from typing import Final

import numpy as np

from pytest_applegpu.forms.form import Param
from pytest_applegpu.problem import Batch
from pytest_applegpu.views import LAYOUTS

MOST: Final = 4200
"""The largest size that is drawn; the cost of a case bounds it further."""

_TILES: Final = (4, 8, 16, 32, 64, 96, 128, 256, 512, 1024, 2048, 4096)
"""Tiles, vectors and partitions of kernels: sizes lie at few multiples of them, and beside."""

_NEAR: Final = (-1, 0, 1)

_EMPTY: Final = 0.015
"""Share of sizes that are 0."""

_LOOSE: Final = 0.5
"""Share of sizes that are log-uniform."""

_PLAIN: Final = 0.55
"""Share of operands that are plain."""

_NUMBERED: Final = ("pad", "rows", "off")

_AXES: Final = 3
"""The most axes of a batch that is drawn."""


def size(random: np.random.Generator, most: int = MOST) -> int:
    """Draw a size from 0 to `most`."""
    kind = random.random()
    if kind < _EMPTY:
        return 0
    if kind < _EMPTY + _LOOSE:
        return log_uniform(random, 1, most)
    near = int(random.choice(_TILES)) * int(random.integers(1, 4)) + int(random.choice(_NEAR))
    return near if near <= most else log_uniform(random, 1, most)


def log_uniform(random: np.random.Generator, low: int, high: int) -> int:
    """Draw a whole number from `low` to `high`, each power of two as likely as the next."""
    return min(high, int(np.exp(random.uniform(log(low), log(high + 1)))))


def batches(random: np.random.Generator) -> tuple[Batch, Batch]:
    """Draw two batches that broadcast: axes of length one and missing ones in either."""
    whole = [_axis(random) for _ in range(int(random.integers(0, _AXES + 1)))]
    return _part(random, whole), _part(random, whole)


def _axis(random: np.random.Generator) -> int:
    return 0 if random.random() < _EMPTY else log_uniform(random, 1, 8)


def _part(random: np.random.Generator, whole: list[int]) -> Batch:
    kind = random.random()
    if kind < 0.6:
        return tuple(whole)
    shared = [1 if random.random() < 0.5 else one for one in whole]
    return tuple(shared[int(random.integers(0, len(whole) + 1)) :])


def stack(random: np.random.Generator) -> Batch:
    """Draw a batch that stands alone."""
    return tuple(_axis(random) for _ in range(int(random.integers(1, _AXES))))


def layout(random: np.random.Generator) -> str:
    """Draw any layout, plain ones more often than others."""
    if random.random() < _PLAIN:
        return "plain"
    name = str(random.choice([one for one in LAYOUTS if one != "plain"]))
    return f"{name}:{log_uniform(random, 1, 64)}" if name in _NUMBERED else name


def value(random: np.random.Generator, param: Param) -> str:
    """Draw what a parameter may be: any of its words, or a number up to some tens."""
    if param.values:
        return str(random.choice(param.values))
    low = max(param.low, 1)
    if param.low == 0 and random.random() < 0.1:
        return "0"
    return str(log_uniform(random, low, max(low, min(param.high, 64))))


def upward(least: int, span: int = 128) -> Iterator[int]:
    """Yield `least` and the sizes after it: where whole groups are needed, one of them is near."""
    yield from range(least, least + span)
