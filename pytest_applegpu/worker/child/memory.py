"""What do the parent and this process share, and what does memory hold before a call?"""

from __future__ import annotations

import mmap
import os
from collections.abc import Sequence
from typing import Any

from . import library


class Arena:
    """The shared memory that the parent and this process both see."""

    def __init__(self, fd: int) -> None:
        """Map nothing yet: the parent has not written anything."""
        self.fd = fd
        self.map: mmap.mmap | None = None

    def _cover(self, size: int) -> mmap.mmap:
        if os.fstat(self.fd).st_size < size:
            reserve = getattr(os, "posix_fallocate", None)
            if reserve:
                reserve(self.fd, 0, size)
            else:
                os.ftruncate(self.fd, size)
        if self.map is None or len(self.map) < size:
            self.map = mmap.mmap(self.fd, os.fstat(self.fd).st_size)
        return self.map

    def array(self, offset: int, dtype: Any, shape: Sequence[int]) -> Any:
        """Return a NumPy view of the bytes at `offset`."""
        size = int(library.np.prod(shape, dtype=library.np.int64))
        if not size:
            return library.np.zeros(shape, dtype)
        memory = self._cover(offset + size * library.np.dtype(dtype).itemsize)
        return library.np.frombuffer(memory, dtype, size, offset).reshape(shape)

    def put(self, offset: int, array: Any) -> int:
        """Copy `array` to `offset`; return where the next one may begin."""
        if array.size:
            self.array(offset, array.dtype, array.shape)[...] = array
        end: int = offset + -(-array.nbytes // 64) * 64
        return end


POISON = 0x7FFF
"""Two of these, or four, are NaN in every format that MLX multiplies, and so is one in halves."""


def poison(sizes: Sequence[int]) -> None:
    """Fill memory of these sizes in bytes with NaN and free it, for the next call to be given.

    What a kernel leaves unwritten then holds NaN, and not a right result of the call before.
    """
    np, mx = library.np, library.mx
    spoilt = [mx.array(np.full(max(size // 2, 1), POISON, np.uint16)) for size in sizes]
    mx.eval(*spoilt)
