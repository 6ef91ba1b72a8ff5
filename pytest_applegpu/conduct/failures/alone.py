"""Does the program of a bundle fail by itself, outside the product?"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.worker.process import PATIENCE
from pytest_applegpu.worker.turns import shared

_SPARE: Final = 60.0
"""Seconds that the program may take beside its calls to MLX: it ends itself long before, unless
it is stopped from outside."""


@dataclass(frozen=True, slots=True)
class Alone:
    """How a program ended: its exit status, minus a signal's number, None where it had to be ended.

    `said` is the last line that it wrote.
    """

    status: int | None
    said: str

    def __str__(self) -> str:
        """Say how it ended."""
        if self.status is None:
            return "it had to be ended"
        if self.status in {0, 1} and self.said.startswith(("right", "wrong")):
            return self.said
        return f"it ended with {_ending(self.status)}"


def run_alone(program: Path, bench: Bench, limit: float) -> Alone:
    """Run `program`, whose calls to MLX may take `limit` seconds, with the interpreter under test.

    Raises:
        OSError: it cannot be run.
    """
    # In a folder that goes away, so that a crash leaves no core file.
    with (
        shared(bench.backend),
        tempfile.TemporaryDirectory(prefix="applegpu-bundle-") as folder,
        subprocess.Popen(
            [bench.pool.python, str(program.absolute())],
            cwd=folder,
            env=dict(bench.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as running,
    ):
        return _ended(running, limit + _SPARE)


def _ended(running: subprocess.Popen[str], limit: float) -> Alone:
    try:
        said, _ = running.communicate(timeout=limit)
    except BaseException as error:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(running.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.wait(PATIENCE)
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
        return Alone(None, "")
    lines = said.strip().splitlines()
    return Alone(running.returncode, lines[-1] if lines else "")


def _ending(status: int) -> str:
    if status >= 0:
        return f"status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
