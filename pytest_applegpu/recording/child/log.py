"""Where is it kept what a program multiplies? In a file of JSON lines for each process.

Each call is written when it is first met, and how often all of them were made when the process
ends: one that is killed leaves its calls without their counts.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any


class Log:
    """The calls of this process, counted."""

    def __init__(self, folder: Path, facts: dict[str, Any]) -> None:
        """Write nothing before the first call."""
        self.folder, self.facts = folder, facts
        self._begin()
        atexit.register(self.end)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        """Begin anew: what a process did before it forked is its own, and not the child's."""
        self._lock = threading.Lock()
        self._counts: dict[str, int] = {}
        self._path = self.folder / f"{os.getpid()}-{time.monotonic_ns()}.jsonl"

    def add(self, call: dict[str, Any]) -> None:
        """Count one call."""
        key = json.dumps(call, sort_keys=True)
        with self._lock:
            if not self._counts:
                self._write({"argv": sys.orig_argv, **self.facts})
            if key not in self._counts:
                self._write({"call": call})
            self._counts[key] = self._counts.get(key, 0) + 1

    def end(self) -> None:
        """Write how often each call was made, in the order in which they were met."""
        with self._lock:
            if self._counts:
                self._write({"counts": list(self._counts.values())})

    def _write(self, line: dict[str, Any]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
