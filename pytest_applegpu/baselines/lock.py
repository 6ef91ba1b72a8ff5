"""Who may write a baseline file now? One process of a user at a time."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


@contextmanager
def locked(patience: float) -> Iterator[None]:
    """Hold the user's lock.

    It is one file among the user's temporary files, not in the repository: a write takes
    milliseconds, so that all baselines of a user share it and no other files pile up.

    Raises:
        TimeoutError: another process held it for `patience` seconds.
        OSError: there can be no such file.
    """
    lock = FileLock(place(), timeout=patience)
    try:
        lock.acquire()
    except Timeout:
        raise TimeoutError from None
    try:
        yield
    finally:
        lock.release()


def place() -> Path:
    """Return where the lock lies."""
    return Path(tempfile.gettempdir()) / f"pytest-applegpu-{os.getuid()}-baselines.lock"
