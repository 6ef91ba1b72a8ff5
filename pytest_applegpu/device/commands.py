"""What does an outside command answer? The one place that runs any.

A command may be missing, fail, hang, flood its output or answer bytes that are no text: each
gives an `Answer` with a status, never an exception, so that whoever asked decides what is
unknown then.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Final, Literal

Status = Literal["ok", "failed", "missing", "timed out"]

TIMEOUT: Final = 10.0
"""Seconds that a command may take: the slowest one asked, system_profiler, needs about two."""

OUTPUT_LIMIT: Final = 16 * 2**20
"""Bytes of output after which a command is taken to answer nonsense, and is ended."""

PLAIN: Final[Mapping[str, str]] = {"LC_ALL": "C", "SYSTEM_VERSION_COMPAT": "0"}
"""Set for every command: one language, and macOS named 26 rather than 16 (or 11, not 10.16)."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command said, and how it ended."""

    argv: tuple[str, ...]
    status: Status
    stdout: str = ""
    stderr: str = ""
    returncode: int | None = None

    @property
    def text(self) -> str:
        """The command as a person would type it."""
        return " ".join(self.argv)

    @property
    def complaint(self) -> str:
        """Why this answer is of no use, in one line; empty where the command ran well."""
        if self.status == "ok":
            return ""
        if self.status == "missing":
            return f"{self.argv[0] if self.argv else 'the command'} is not there"
        said = next(iter(self.stderr.strip().splitlines()), "no message")
        return f"{self.text}: {self.status} ({said[:200]})"


Commands = Callable[[Sequence[str]], Answer]
"""Whatever answers commands: `run_command`, or recorded outputs in a test."""


def run_command(
    argv: Sequence[str], timeout: float = TIMEOUT, env: Mapping[str, str] | None = None
) -> Answer:
    """Run `argv` without input and return its answer; never raises on what the command does.

    Args:
        argv: the command and its arguments; no shell is involved.
        timeout: seconds after which the command and its children are killed.
        env: variables set on top of the inherited ones and of `PLAIN`.
    """
    words = tuple(argv)
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **PLAIN, **(env or {})},
            start_new_session=True,
        )
    except FileNotFoundError:
        return Answer(words, "missing")
    except (OSError, ValueError, IndexError) as error:
        return Answer(words, "failed", stderr=str(error))
    with process:
        return _listen(process, words, time.monotonic() + timeout)


def _listen(process: subprocess.Popen[bytes], words: tuple[str, ...], deadline: float) -> Answer:
    said: dict[IO[bytes], bytearray] = {
        pipe: bytearray() for pipe in (process.stdout, process.stderr) if pipe is not None
    }
    trouble = "interrupted"
    try:
        trouble = _drain(said, deadline) or _wait(process, deadline)
    finally:
        if trouble:
            _kill_group(process)
    out, err = (bytes(part).decode("utf-8", errors="replace") for part in said.values())
    if trouble == "timed out":
        return Answer(words, "timed out", out, err or "no answer in time", process.returncode)
    if trouble:
        return Answer(words, "failed", "", trouble, process.returncode)
    status: Status = "ok" if process.returncode == 0 else "failed"
    return Answer(words, status, out, err, process.returncode)


def _drain(said: dict[IO[bytes], bytearray], deadline: float) -> str:
    """Read both pipes to their end; return what went wrong, or nothing."""
    with selectors.DefaultSelector() as selector:
        for pipe in said:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                return "timed out"
            for key, _ in ready:
                pipe = next(one for one in said if one is key.fileobj)
                piece = os.read(key.fd, 1 << 16)
                said[pipe] += piece
                if not piece:
                    selector.unregister(pipe)
            if sum(map(len, said.values())) > OUTPUT_LIMIT:
                return f"answered more than {OUTPUT_LIMIT >> 20} MiB"
    return ""


def _wait(process: subprocess.Popen[bytes], deadline: float) -> str:
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return "timed out"
    return ""


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End the command's whole process group: a killed shell would leave its children behind."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
