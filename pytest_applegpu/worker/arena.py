"""Shared memory between the parent and one worker: a nameless file that both map.

It has no name in the file system, so nothing is left behind, whichever way either side ends.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from pathlib import Path
from typing import Final

import numpy as np

_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a nameless file in it, opened by tempfile
_ROOMY: Final = 4 << 30
_BLOCK: Final = 1 << 24
ALIGNMENT: Final = 64
"""Bytes to which operands and results are aligned."""


def _folder() -> str | None:
    """Pick memory where there is plenty of it, else the folder for temporary files."""
    try:
        space = os.statvfs(_MEMORY)
    except OSError:
        return None
    return str(_MEMORY) if space.f_bavail * space.f_frsize >= _ROOMY else None


def aligned(size: int) -> int:
    """Round `size` bytes up to the alignment."""
    return -(-size // ALIGNMENT) * ALIGNMENT


class Arena:
    """A growing piece of shared memory; `fd` is what a worker inherits.

    Raises:
        OSError: there is no room for it.
    """

    def __init__(self) -> None:
        """Open an empty one."""
        self._file = tempfile.TemporaryFile(dir=_folder())  # noqa: SIM115 - lives as long as this
        self._map: mmap.mmap | None = None
        self.fd = self._file.fileno()

    def reserve(self, size: int) -> None:
        """Make room for `size` bytes, for real: a full disk is an error here, not a crash later."""
        if os.fstat(self.fd).st_size < size:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(self.fd, 0, size)
            else:
                self._fill(size)

    def _fill(self, size: int) -> None:
        """Write zeros up to `size`, as macOS has no call that reserves."""
        at = os.fstat(self.fd).st_size
        while at < size:
            at += os.pwrite(self.fd, bytes(min(_BLOCK, size - at)), at)

    def _cover(self, size: int) -> mmap.mmap:
        if self._map is None or len(self._map) < size:
            self._map = mmap.mmap(self.fd, os.fstat(self.fd).st_size)
        return self._map

    def _window(
        self, offset: int, dtype: np.dtype[np.generic], shape: tuple[int, ...]
    ) -> np.ndarray:
        size = int(np.prod(shape, dtype=np.int64))
        if not size:
            return np.zeros(shape, dtype)
        memory = self._cover(offset + size * dtype.itemsize)
        raw = np.frombuffer(memory, np.uint8, size * dtype.itemsize, offset)
        return raw.view(dtype).reshape(shape)

    def put(self, offset: int, array: np.ndarray) -> None:
        """Copy `array` to `offset`, in room that was reserved."""
        if array.size:
            self._window(offset, array.dtype, array.shape)[...] = array

    def get(self, offset: int, dtype: np.dtype[np.generic], shape: tuple[int, ...]) -> np.ndarray:
        """Return a copy of what stands at `offset`."""
        return self._window(offset, dtype, shape).copy()

    def close(self) -> None:
        """Give the memory back."""
        self._map = None
        self._file.close()
