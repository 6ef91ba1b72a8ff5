"""How an operand lies in memory, as MLX's dispatch sees it: shape, strides, offset.

Strides and offsets count elements. Nothing here holds data.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Final

ITEMSIZE: Final = {
    "bool_": 1,
    "uint8": 1,
    "int8": 1,
    "uint16": 2,
    "int16": 2,
    "float16": 2,
    "bfloat16": 2,
    "uint32": 4,
    "int32": 4,
    "float32": 4,
    "uint64": 8,
    "int64": 8,
    "complex64": 8,
}
"""Bytes of one element, by MLX's name of the format."""

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Array:
    """An operand: its logical shape, its strides, where it starts, and how much storage is behind.

    `data_size` is the number of elements of the storage that the array reaches into, as MLX keeps
    it: that of a broadcast array is its source's.
    """

    shape: Shape
    strides: Shape
    dtype: str
    offset: int = 0
    data_size: int = field(default=-1)

    def __post_init__(self) -> None:
        """Take the whole array as its storage where nothing else is said."""
        if self.data_size < 0:
            object.__setattr__(self, "data_size", prod(self.shape))

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return ITEMSIZE[self.dtype]

    @property
    def row_contiguous(self) -> bool:
        """Whether elements lie in row-major order without gaps (strides of size-1 axes aside)."""
        return _dense(self.shape, self.strides) and self.data_size == self.size

    @property
    def col_contiguous(self) -> bool:
        """Whether elements lie in column-major order without gaps."""
        return _dense(self.shape[::-1], self.strides[::-1]) and self.data_size == self.size

    @property
    def contiguous(self) -> bool:
        """Whether every element of the storage is one of the array: MLX's `contiguous` flag."""
        spread = prod(n for n, s in zip(self.shape, self.strides, strict=True) if s != 0)
        return spread == self.data_size


def _dense(shape: Shape, strides: Shape) -> bool:
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def dense_strides(shape: Shape) -> Shape:
    """Return the strides of a row-major array of `shape`."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def dense(shape: Shape, dtype: str) -> Array:
    """Return a row-major array without gaps."""
    return Array(shape, dense_strides(shape), dtype)


def transposed(array: Array) -> Array:
    """Return the view with its last two axes exchanged."""
    shape, strides = array.shape, array.strides
    return Array(
        (*shape[:-2], shape[-1], shape[-2]),
        (*strides[:-2], strides[-1], strides[-2]),
        array.dtype,
        array.offset,
        array.data_size,
    )


def expanded(array: Array, axis: int) -> Array:
    """Return the view with an axis of size 1 put before `axis` (negative ones from the end)."""
    at = axis if axis >= 0 else array.ndim + axis + 1
    stride = array.strides[at] * array.shape[at] if at < array.ndim else 1
    return Array(
        (*array.shape[:at], 1, *array.shape[at:]),
        (*array.strides[:at], stride, *array.strides[at:]),
        array.dtype,
        array.offset,
        array.data_size,
    )


def broadcast_shape(one: Shape, other: Shape) -> Shape:
    """Return the shape that two arrays have together.

    Raises:
        ValueError: the shapes do not broadcast.
    """
    longest = max(len(one), len(other))
    pairs = zip(
        (1,) * (longest - len(one)) + one, (1,) * (longest - len(other)) + other, strict=True
    )
    together = []
    for a, b in pairs:
        if a != b and 1 not in {a, b}:
            raise ValueError(f"shapes {one} and {other} do not broadcast")
        together.append(b if a == 1 else a)
    return tuple(together)


def broadcast_to(array: Array, shape: Shape) -> Array:
    """Return the view of `array` in `shape`: every axis of size 1 gets stride 0, new ones too.

    An array that has the shape already is returned as it is, as MLX does.
    """
    if array.shape == shape:
        return array
    missing = len(shape) - array.ndim
    strides = tuple(
        0 if size == 1 else stride for size, stride in zip(array.shape, array.strides, strict=True)
    )
    return Array(shape, (0,) * missing + strides, array.dtype, array.offset, array.data_size)
