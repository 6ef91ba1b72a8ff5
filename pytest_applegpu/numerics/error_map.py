"""Where do the wrong elements of a matrix lie, coarsely, on a small grid?

A cell takes the same power of two of rows, and of columns, as every other one: the smallest with
which the grid fits. So cells begin at multiples of that power, and the tiles of kernels, whose
sides are powers of two, show as whole cells or share one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from pytest_applegpu.numerics.rounding import Array

MOST: Final = (16, 64)
"""Cells of a grid, down and across."""


@dataclass(frozen=True, slots=True)
class ErrorMap:
    """The matrix of a result in which most is wrong.

    Attributes:
        rows: M of the matrix.
        cols: N of the matrix.
        batch: its index in the stack, nothing where there is no batch.
        cells: a text for each row of cells: `.` no element of a cell is wrong, `1` to `9` so many
            tenths of them are (`1` also where fewer are), `#` all of them.
    """

    rows: int
    cols: int
    batch: tuple[int, ...]
    cells: tuple[str, ...]


def chart(wrong: Array) -> ErrorMap:
    """Chart `wrong`, a mask of shape (*batch, M, N); a vector is charted as a row.

    Raises:
        ValueError: nothing is wrong, so there is nothing to chart.
    """
    if not wrong.any():
        raise ValueError("no element is wrong, so there is nothing to chart")
    mask = np.atleast_2d(wrong)
    batch = _fullest(mask)
    matrix = mask[batch]
    cells = tuple("".join(line) for line in _letters(matrix))
    return ErrorMap(matrix.shape[0], matrix.shape[1], batch, cells)


def step(size: int, most: int) -> int:
    """Return the smallest power of two that cuts `size` into `most` pieces at most."""
    return 1 << max(-(-size // most) - 1, 0).bit_length()


def _fullest(mask: Array) -> tuple[int, ...]:
    """Return the index of the matrix with most wrong elements, the first of several."""
    counts = np.count_nonzero(mask, axis=(-2, -1))
    return tuple(int(i) for i in np.unravel_index(np.argmax(counts), mask.shape[:-2]))


def _letters(matrix: Array) -> list[list[str]]:
    """Write each cell's share of wrong elements as one letter."""
    edges = [np.arange(0, n, step(n, most)) for n, most in zip(matrix.shape, MOST, strict=True)]
    counts = np.add.reduceat(matrix, edges[0], axis=0, dtype=np.int64)
    counts = np.add.reduceat(counts, edges[1], axis=1)
    heights, widths = (
        np.diff(edge, append=size) for edge, size in zip(edges, matrix.shape, strict=True)
    )
    sizes = np.outer(heights, widths)
    lines = zip(counts.tolist(), sizes.tolist(), strict=True)
    return [[_letter(*cell) for cell in zip(*line, strict=True)] for line in lines]


def _letter(wrong: int, size: int) -> str:
    if wrong in {0, size}:
        return "#" if wrong else "."
    return str(max(1, 10 * wrong // size))
