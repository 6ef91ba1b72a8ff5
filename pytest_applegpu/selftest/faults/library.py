"""How do numbers pass between the array library and NumPy? By public names, formats kept.

The library is `mlx.core`, or a module that offers the same names.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[Any]

_KEPT = 16
"""Sizes of freed memory that are remembered."""


class Memory(NamedTuple):
    """Where an array's elements lie: words of a buffer, the first one, strides in words."""

    buffer: Numbers
    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def read(self) -> Numbers:
        """Return the words; what lies beyond the buffer reads as 0."""
        places = np.full(self.shape, self.start, np.int64)
        for axis, (size, stride) in enumerate(zip(self.shape, self.strides, strict=True)):
            steps = np.arange(size) * stride
            places += steps.reshape(-1, *(1,) * (len(self.shape) - 1 - axis))
        inside = (places >= 0) & (places < self.buffer.size)
        words = self.buffer[np.where(inside, places, 0)]
        return np.where(inside, words, np.zeros((), words.dtype))


class Library:
    """The array library with its real functions, kept before anything is put in their place."""

    def __init__(self, core: Any) -> None:
        """Keep the functions; take note of slices from now on, to know what they are parts of."""
        self.core = core
        self.matmul = core.matmul
        self.operator = core.array.__matmul__
        self.eval = core.eval
        self._parents: deque[Any] = deque(maxlen=8)
        self._freed: dict[int, bytes] = {}
        self._slice = core.array.__getitem__

    def sliced(self, array: Any, index: Any) -> Any:
        """Slice as the library does, and remember of what."""
        self._parents.append(array)
        return self._slice(array, index)

    def evaluated(self, *arrays: Any) -> None:
        """Evaluate as the library does, and remember what the memory held, by its size.

        A library that keeps freed memory gives it to the next result of that size.
        """
        self.eval(*arrays)
        for array in _flat(arrays):
            held = self.words(array).tobytes()
            self._freed.pop(len(held), None)
            self._freed[len(held)] = held
        for size in list(self._freed)[:-_KEPT]:
            del self._freed[size]

    def recycled(self, shape: tuple[int, ...], name: str) -> Numbers:
        """Return what lies in memory that a result is given, and zeros where that is fresh."""
        word = np.dtype(np.uint16 if name == "bfloat16" else name)
        size = prod(shape) * word.itemsize
        held = np.frombuffer(self._freed.get(size, bytes(size)), word)
        return self.read(held.reshape(shape), name)

    @staticmethod
    def format(array: Any) -> str:
        """Return the library's name for the format of `array`."""
        return str(array.dtype).rpartition(".")[2].rstrip("_")

    def words(self, array: Any) -> Numbers:
        """Return the very memory of `array`: numbers as they are, bfloat16 as uint16."""
        self.eval(array)
        if self.format(array) == "bfloat16":
            array = array.view(self.core.uint16)
        return np.asarray(array)

    def transposed(self, array: Any) -> str:
        """Return t where the columns of a matrix lie further apart than its rows, else n."""
        if array.ndim < 2 or 0 in array.shape:
            return "n"
        rows, cols = (abs(stride) for stride in self.words(array).strides[-2:])
        return "t" if rows < cols else "n"

    def numbers(self, array: Any) -> Numbers:
        """Return a copy of the numbers, bfloat16 as float32."""
        return self.read(self.words(array), self.format(array))

    @staticmethod
    def read(words: Numbers, name: str) -> Numbers:
        """Return a copy of `words` as numbers of the format `name`."""
        if name == "bfloat16":
            return (words.astype(np.uint32) << np.uint32(16)).view(np.float32)
        return np.array(words, order="C")

    def array(self, numbers: Numbers, name: str) -> Any:
        """Make an array of the library, rounding to nearest."""
        if name == "bfloat16":
            return self.core.array(bfloat16_words(numbers)).view(self.core.bfloat16)
        with np.errstate(all="ignore"):
            stored = np.array(numbers, np.dtype(name), order="C")
        return self.core.array(stored, getattr(self.core, "bool_" if name == "bool" else name))

    def memory(self, array: Any) -> Memory:
        """Tell where `array` lies in the buffer that it was sliced from, or in its own reach."""
        words = self.words(array)
        size = words.itemsize
        strides = tuple(stride // size for stride in words.strides)
        spans = [(n - 1) * stride for n, stride in zip(words.shape, strides, strict=True)]
        below = sum(span for span in spans if span < 0)
        lowest = _address(words) + below * size
        for parent in reversed(self._parents):
            whole = self.words(parent)
            if _address(whole) <= lowest < _address(whole) + whole.nbytes:
                start = (_address(words) - _address(whole)) // size
                return Memory(whole.reshape(-1), start, words.shape, strides)
        reach = 1 + sum(map(abs, spans))
        # A view of the lowest element: a plain index would copy it.
        first = words[tuple(slice(-1, None) if one < 0 else slice(0, 1) for one in strides)]
        buffer = np.lib.stride_tricks.as_strided(first, (reach,), (size,))
        return Memory(buffer, -below, words.shape, strides)


def _flat(arrays: Any) -> Iterator[Any]:
    for one in arrays:
        if isinstance(one, (list, tuple)):
            yield from _flat(one)
        else:
            yield one


def dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of an array whose elements lie one after another."""
    return tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))


def bfloat16_words(numbers: Numbers) -> Numbers:
    """Round to bfloat16, to nearest with ties to even; return its words."""
    with np.errstate(all="ignore"):
        wide = np.array(numbers, np.float32, order="C")
    raw = wide.view(np.uint32)
    rounded = (raw + np.uint32(0x7FFF) + ((raw >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    quiet = np.where(np.isnan(wide), np.uint32(0x7FC0), rounded)
    return quiet.astype(np.uint16)


def _address(array: Numbers) -> int:
    return int(array.__array_interface__["data"][0])
