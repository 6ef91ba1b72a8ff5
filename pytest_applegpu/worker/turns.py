"""Who may use the device now? Many at a time compute, but one alone is timed.

Holds between all processes of a user on this machine, so also between the workers of a parallel
run, and between runs. These are the system's own locks on files: they end with the process, and
cost microseconds where a library's lock for readers and writers took 20 milliseconds, which a run
of some thousand short cases would feel.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path


@contextmanager
def _locked(name: str, how: int) -> Iterator[None]:
    path = Path(tempfile.gettempdir()) / f"pytest-applegpu-{os.getuid()}-{name}.turns"
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, how)
        yield
    finally:
        os.close(handle)


@contextmanager
def shared(backend: str) -> Iterator[None]:
    """Compute while nobody is timed."""
    with ExitStack() as held:
        # Whoever waits to be timed holds the gate, so that no stream of others keeps it out.
        with _locked(f"{backend}-gate", fcntl.LOCK_EX):
            held.enter_context(_locked(backend, fcntl.LOCK_SH))
        yield


@contextmanager
def alone(backend: str) -> Iterator[None]:
    """Be timed while nobody else computes."""
    with _locked(f"{backend}-gate", fcntl.LOCK_EX), _locked(backend, fcntl.LOCK_EX):
        yield
