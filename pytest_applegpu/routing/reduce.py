"""Which kernels reduce over columns: axes whose elements do not lie side by side?"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

from pytest_applegpu.routing.arrays import Shape, dense_strides
from pytest_applegpu.routing.copies import INT32_MAX, MOST_THREADS, ceil_div, grid_2d
from pytest_applegpu.routing.launch import Launch, Tape, Triple

_LOOPED_GROUP: Final = (256, 1, 1)
_COLUMNS: Final = 32
"""Columns of a threadgroup of the looped kernels."""

_BLOCKS: Final = 32
"""Parts that a column is cut into where two passes reduce it."""


@dataclass(frozen=True, slots=True)
class Columns:
    """A reduction of columns of `size` elements, each `stride` elements behind the one before.

    `name` is the operation (`sum`) and `out` the shape of the row-major result. `others` are the
    sizes of further reduced axes that do not merge with the innermost one.
    """

    name: str
    dtype: str
    out: Shape
    size: int
    stride: int
    others: Shape = ()

    @property
    def total(self) -> int:
        """Elements that are reduced to one."""
        return self.size * prod(self.others)

    @property
    def across(self) -> int:
        """Threads along x of the looped kernels."""
        return _LOOPED_GROUP[0] * ceil_div(self.stride, _COLUMNS)

    @property
    def outer_grid(self) -> tuple[int, int]:
        """The grid of the result's axes outside those that a column's stride steps over."""
        strides = dense_strides(self.out)
        kept = len(self.out)
        while kept and strides[kept - 1] < self.stride:
            kept -= 1
        x, y, _ = grid_2d(self.out[:kept], strides[:kept])
        return x, y

    def kernel(self, kind: str, blocking: str = "") -> str:
        """Return a kernel's name: that of bytes for booleans, one for 3 reduced axes and more."""
        large = "_large" if prod(self.out) * self.total > INT32_MAX else ""
        axes = min(len(self.others) + 1, 3)
        axes = 5 if axes == 3 else axes
        dtype = "int8" if self.dtype == "bool_" else self.dtype
        return f"col_reduce_{kind}{large}_{axes}{blocking}_reduce_{self.name}{dtype}"


def column_reduce(tape: Tape, columns: Columns) -> None:
    """Write down the launches that reduce `columns`."""
    if columns.total < 32:
        _small(tape, columns)
    elif columns.stride < 32 and columns.total >= 1024:
        _long(tape, columns)
    elif columns.total > 256 and prod(columns.out) // 32 < 1024:
        _two_passes(tape, columns)
    else:
        grid = (columns.across, *columns.outer_grid)
        _looped(tape, columns.kernel("looped", "_32_32"), grid)


def _small(tape: Tape, columns: Columns) -> None:
    reads = ceil_div(columns.stride, 4)
    across = min(reads, 32)
    group = (across, min(8, MOST_THREADS // across, columns.total), 1)
    grid = (ceil_div(reads, across), *columns.outer_grid)
    tape.add(Launch(columns.kernel("small"), "reduce", grid, group, label="reduce"))


def _looped(tape: Tape, kernel: str, grid: Triple) -> None:
    tape.add(Launch(kernel, "reduce", grid, _LOOPED_GROUP, "threads", label="reduce"))


def _long(tape: Tape, columns: Columns) -> None:
    blocks = 128 if columns.total >= 32768 else _BLOCKS
    group = (columns.stride, min(32, ceil_div(columns.total, blocks)), 1)
    grid = (*columns.outer_grid, blocks)
    tape.add(Launch(columns.kernel("longcolumn"), "reduce", grid, group, label="reduce"))
    _second_pass(tape, columns, blocks)


def _two_passes(tape: Tape, columns: Columns) -> None:
    x, y = columns.outer_grid
    _looped(tape, columns.kernel("2pass", "_32_32"), (columns.across, x * _BLOCKS, y))
    _second_pass(tape, columns, _BLOCKS)


def _second_pass(tape: Tape, columns: Columns, blocks: int) -> None:
    """Reduce the blocks' results, which lie one whole result after another."""
    elements = prod(columns.out)
    rest = Columns(columns.name, columns.dtype, columns.out, blocks, elements)
    _looped(tape, rest.kernel("looped", "_32_32"), (rest.across, 1, 1))
