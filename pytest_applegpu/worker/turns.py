"""Who may use the device now? Many at a time compute, but one alone is timed.

Holds between all processes of a user on this machine, so also between the workers of a parallel
run, and between runs.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import AbstractContextManager
from pathlib import Path

from filelock import ReadWriteLock


def _lock(backend: str) -> ReadWriteLock:
    name = f"pytest-applegpu-{backend}-{os.getuid()}.turns"
    return ReadWriteLock(Path(tempfile.gettempdir()) / name)


def shared(backend: str) -> AbstractContextManager[object]:
    """Compute while nobody is timed."""
    return _lock(backend).read_lock()


def alone(backend: str) -> AbstractContextManager[object]:
    """Be timed while nobody else computes."""
    return _lock(backend).write_lock()
