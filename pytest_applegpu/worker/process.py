"""One worker process: start it, ask it, and tell how it ended.

The parent's half of the protocol that `serve.py` speaks. A worker runs in its own process group
and session, so Ctrl-C reaches pytest alone, and everything it started ends with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pytest_applegpu.worker.arena import Arena
from pytest_applegpu.worker.greeting import GarbledError, flaw, parse

SERVE: Final = Path(__file__).with_name("serve.py")
PROTOCOL: Final = 1

STAND_INS: Final = {"emulated": ("pytest_applegpu.emulated.core", str(SERVE.parents[2]))}
"""By backend, the module that a worker imports in MLX's place, and the folder it is in."""

LINE, LINES = 160, 3
"""Characters of a line, and lines, of a worker's last words that are kept."""

LONGEST_ANSWER: Final = 1 << 26
"""Bytes beyond which an answer is not waited for."""

PATIENCE: Final = 10.0
"""Seconds to wait for a process that was killed."""

Message = dict[str, Any]


class WorkerError(Exception):
    """A worker could not be started; the text says what it answered."""


class Crashed(Exception):  # noqa: N818 - a verdict's word
    """The worker ended before it answered. `how` is a signal's name or an exit status."""

    def __init__(self, how: str, said: str) -> None:
        """Keep how it ended and the last of what it wrote to its standard error."""
        super().__init__(how, said)
        self.how, self.said = how, said


class TimedOut(Exception):  # noqa: N818 - a verdict's word
    """The worker did not answer within its time limit; it has been ended."""


class Process:
    """A running worker. Its first answer, `hello`, tells what it found."""

    def __init__(
        self, python: str, backend: str, environment: Mapping[str, str], start_limit: float
    ) -> None:
        """Start the program and wait for its first answer.

        Raises:
            WorkerError: it cannot be started, MLX cannot be imported, or the protocol differs.
        """
        self.arena = Arena()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as this
        self._buffer = b""
        self._said = 0  # bytes of output that earlier requests left
        self._start(python, backend, environment)
        try:
            self.hello = self._listen(start_limit)
        except BaseException as end:
            self.end()
            if not isinstance(end, (Crashed, TimedOut)):
                raise
            text = f"{end.how}: {end.said}" if isinstance(end, Crashed) else "no answer in time"
            raise WorkerError(f"the worker under {python} did not start: {text}") from end
        problem = flaw(self.hello, PROTOCOL)
        if problem:
            self.end()
            raise WorkerError(f"the worker under {python} did not start: {problem}")

    def _start(self, python: str, backend: str, environment: Mapping[str, str]) -> None:
        their_requests, self._requests = os.pipe()
        self._replies, their_replies = os.pipe()
        their_life, self._life = os.pipe()
        theirs = (their_requests, their_replies, their_life, self.arena.fd)
        try:
            self._popen = subprocess.Popen(
                [python, str(SERVE), *map(str, theirs), backend, *STAND_INS.get(backend, ())],
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=self._errors,
                stderr=self._errors,
                pass_fds=theirs,
                start_new_session=True,
            )
        except OSError as error:
            self._close_files()
            raise WorkerError(f"{python} cannot be run: {error.strerror}") from error
        finally:
            for fd in theirs[:3]:
                os.close(fd)

    @property
    def pid(self) -> int:
        """Process id, which is its process group's too."""
        return self._popen.pid

    def ask(self, request: Message, limit: float) -> Message:
        """Send a request and wait up to `limit` seconds for the answer.

        Raises:
            Crashed: the worker ended instead.
            TimedOut: it did not answer; it is ended.
        """
        self._said = self._errors.seek(0, os.SEEK_END)
        try:
            with contextlib.suppress(BrokenPipeError):
                _write_all(self._requests, json.dumps(request).encode() + b"\n")
            return self._listen(limit)
        except BaseException:
            self.end()
            raise

    def _listen(self, limit: float) -> Message:
        deadline = time.monotonic() + limit
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            ready, _, _ = select.select([self._replies], [], [], max(left, 0))
            if not ready:
                self.end()
                raise TimedOut
            chunk = os.read(self._replies, 1 << 16)
            if not chunk:
                raise self._crash()
            self._buffer += chunk
            if len(self._buffer) > LONGEST_ANSWER:
                break
        line, _, self._buffer = self._buffer.partition(b"\n")
        try:
            return parse(line)
        except GarbledError as error:
            raise Crashed("an answer that is none", str(error)) from None

    def _crash(self) -> Crashed:
        try:
            status = self._popen.wait(timeout=10)
        except subprocess.TimeoutExpired:
            # It closed its pipe and lives on: nothing it says later can be trusted.
            self._kill()
            return Crashed("closed its pipe", self._last_words())
        return Crashed(_ending(status), self._last_words())

    def _last_words(self) -> str:
        """Return the end of what was written since the last request: the reason stands last."""
        end = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(self._said, end - 4000))
        lines = self._errors.read().decode(errors="replace").splitlines()
        last = [line.strip()[-LINE:] for line in lines if line.strip()]
        return " | ".join(last[-LINES:])

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, signal.SIGKILL)
        # A driver call that cannot be interrupted keeps even a killed process for a while; it is
        # left to the system then, so that the run can go on.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(timeout=PATIENCE)

    def _close_files(self) -> None:
        for fd in (self._requests, self._replies, self._life):
            os.close(fd)
        self._errors.close()
        self.arena.close()

    def end(self) -> None:
        """End the worker and all it started; doing so twice is no error."""
        if self._errors.closed:
            return
        self._kill()
        self._close_files()


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def _ending(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
