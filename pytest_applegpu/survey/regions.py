"""Where in a plane does a path's name fit?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import log2
from typing import Any, Final

import numpy as np


@dataclass(frozen=True, slots=True)
class Spot:
    """Middle of a region of one path in log2 of the sizes, and its room there, in octaves."""

    path: str
    x: float
    y: float
    width: float
    height: float


_LEAST: Final = 0.015
"""Part of the plane that a region has at the least to be named."""

_STEP: Final = 1 / 16
"""Octaves between two points looked at."""


def spots(xs: list[int], ys: list[int], paths: list[list[str]]) -> list[Spot]:
    """Return a spot for each region of a grid in which a size stands for all up to the next one."""
    from scipy import ndimage  # noqa: PLC0415 - only where a picture is drawn

    names = np.array(paths, dtype=object)[np.ix_(_spread(ys), _spread(xs))]
    found = []
    for path in sorted({name for row in paths for name in row}):
        labels, count = ndimage.label(names == path)
        regions = (labels == number for number in range(1, count + 1))
        found += [_spot(path, one) for one in regions if one.mean() >= _LEAST]
    return found


def _spread(sizes: list[int]) -> list[int]:
    """Return indices into `sizes`, one for each step along their logarithm."""
    ends = [*map(log2, sizes), log2(sizes[-1]) + _STEP]
    return [
        i
        for i, (low, high) in enumerate(pairwise(ends))
        for _ in range(round(high / _STEP) - round(low / _STEP))
    ]


def _spot(path: str, region: Any) -> Spot:
    """Return the middle of `region`, a mask, as deep inside as can be."""
    from scipy import ndimage  # noqa: PLC0415 - only where a picture is drawn

    inside = ndimage.distance_transform_edt(np.pad(region, 1))[1:-1, 1:-1]
    row, column = map(int, np.unravel_index(int(np.argmax(inside)), inside.shape))
    left, right = _run(region[row], column)
    column = (left + right) // 2
    low, high = _run(region[:, column], row)
    row = (low + high) // 2
    left, right = _run(region[row], column)
    return Spot(path, column * _STEP, row * _STEP, (right - left) * _STEP, (high - low) * _STEP)


def _run(line: Any, at: int) -> tuple[int, int]:
    """Return start and end of the run of True values round `at`."""
    outside = np.flatnonzero(~line)
    before, after = outside[outside < at], outside[outside > at]
    start = int(before[-1]) + 1 if before.size else 0
    return start, int(after[0]) if after.size else len(line)
