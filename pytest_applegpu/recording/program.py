"""How is a program run so that it is watched? In a process of its own, with all that is its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PLANTED: Final = Path(__file__).with_name("planted")


def run_watched(command: Sequence[str], folder: Path) -> int:
    """Run `command`, which leaves its calls in `folder`; return its status, as a shell gives it.

    Raises:
        OSError: it cannot be run.
    """
    with _patient():
        status = subprocess.run(
            whole(command), env=environment(os.environ, folder), check=False
        ).returncode
    return 128 - status if status < 0 else status


def whole(command: Sequence[str]) -> list[str]:
    """Return the command; words for an interpreter alone, as in `-m module`, are for this one."""
    return [sys.executable, *command] if command[0].startswith("-") else list(command)


def environment(inherited: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return the environment of a program that is watched."""
    paths = (str(PLANTED), inherited.get("PYTHONPATH", ""))
    return {
        **inherited,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "APPLEGPU_RECORD": str(folder),
    }


@contextmanager
def _patient() -> Iterator[None]:
    """Leave an interrupt to the program, which gets it too: what it was up to then is written."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
