"""Which of its two forms does a matrix operand lie in, and must it be copied to get one?"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_applegpu.routing.arrays import Array
from pytest_applegpu.routing.copies import contiguous_copy
from pytest_applegpu.routing.launch import Tape


@dataclass(frozen=True, slots=True)
class Matrix:
    """An operand as a kernel takes it: `ld` elements from row to row, or column to column."""

    array: Array
    transposed: bool
    ld: int

    @property
    def letter(self) -> str:
        """The operand's letter in kernel names."""
        return "t" if self.transposed else "n"

    @property
    def batch_strides(self) -> tuple[int, ...]:
        """Strides of the axes before the last two."""
        return self.array.strides[:-2]


def matrix(tape: Tape, array: Array, *, vector: bool = False) -> Matrix:
    """Return `array` in the form it lies in: rows, else columns one after another, else copied.

    Of a vector's form the other stride must fit too: it is walked over as if it were dense.
    """
    rows, columns = array.strides[-2:]
    if columns == 1 and (not vector or rows == array.shape[-1]):
        return Matrix(array, transposed=False, ld=rows)
    if rows == 1 and (not vector or columns == array.shape[-2]):
        return Matrix(array, transposed=True, ld=columns)
    tape.because("neither form of a matrix: copied", f"strides {rows}, {columns}")
    return Matrix(contiguous_copy(tape, array), transposed=False, ld=array.shape[-1])
