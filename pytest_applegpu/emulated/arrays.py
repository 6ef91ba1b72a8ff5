"""What does an array of the emulated MLX hold? A NumPy view, whose strides and offset are real.

It offers of `mx.array` what a worker uses, by MLX's names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Self

import ml_dtypes
import numpy as np
import numpy.typing as npt

from pytest_applegpu.routing.arrays import Array as Layout


@dataclass(frozen=True, slots=True)
class Dtype:
    """A number format, by MLX's name for it."""

    name: str
    numpy: np.dtype[Any]

    def __str__(self) -> str:
        """Text as MLX writes it."""
        return f"mlx.core.{self.name}"


_STORED: Final = {
    "bool_": np.bool_,
    "uint8": np.uint8,
    "uint16": np.uint16,
    "uint32": np.uint32,
    "uint64": np.uint64,
    "int8": np.int8,
    "int16": np.int16,
    "int32": np.int32,
    "int64": np.int64,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float32": np.float32,
    "float64": np.float64,
    "complex64": np.complex64,
}

DTYPES: Final = {name: Dtype(name, np.dtype(kind)) for name, kind in _STORED.items()}
"""Every format by MLX's name for it."""

_BY_NUMPY: Final = {dtype.numpy: dtype for dtype in DTYPES.values()}


class View:
    """The half of `mx.array` that computes nothing.

    Made from NumPy's numbers it copies them; made by `seen` it shares them with another.
    """

    def __init__(self, values: Any, dtype: Dtype | None = None) -> None:
        """Copy `values`; the format is theirs where none is given."""
        copied: npt.NDArray[Any] = np.array(values, dtype.numpy if dtype else None, order="C")
        self._take(copied, _address(copied))

    def _take(self, values: npt.NDArray[Any], origin: int) -> None:
        self.values, self._origin = values, origin

    def seen(self, view: npt.NDArray[Any]) -> Self:
        """Return the array of a NumPy view of this one's memory."""
        other = object.__new__(type(self))
        other._take(view, self._origin)
        return other

    @property
    def dtype(self) -> Dtype:
        """Format of the elements."""
        return _BY_NUMPY[self.values.dtype]

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self.values.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.values.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.values.size

    def view(self, dtype: Dtype) -> Self:
        """Return the same bytes as another format."""
        return self.seen(self.values.view(dtype.numpy))

    def astype(self, dtype: Dtype) -> Self:
        """Return the numbers rounded to another format."""
        with np.errstate(all="ignore"):
            return type(self)(self.values.astype(dtype.numpy))

    def __getitem__(self, index: Any) -> Self:
        """Return a view of a part; along an axis that one element is left of, the step is 1."""
        if isinstance(index, tuple) and all(isinstance(one, slice) for one in index):
            index = tuple(map(_simplified, index, self.values.shape))
        return self.seen(self.values[index])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Return the numbers to NumPy: the memory itself, unless a copy is asked for."""
        return np.array(self.values, dtype, copy=copy)

    def layout(self) -> Layout:
        """Return shape, strides and offset in elements, as dispatch sees them."""
        values = self.values
        size = values.itemsize
        strides = tuple(stride // size for stride in values.strides)
        reach = (
            1 + sum((n - 1) * abs(s) for n, s in zip(values.shape, strides, strict=True))
            if values.size
            else 0
        )
        offset = (_address(values) - self._origin) // size if values.size else 0
        return Layout(values.shape, strides, self.dtype.name, offset, reach)


def _simplified(one: slice, size: int) -> slice:
    taken = range(size)[one]
    return slice(taken[0], taken[0] + 1) if len(taken) == 1 else one


def _address(values: npt.NDArray[Any]) -> int:
    return int(values.__array_interface__["data"][0])
