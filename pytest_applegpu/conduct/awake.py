"""Does the machine stay awake while a run measures it?

On macOS `caffeinate -i` keeps it from sleeping for as long as this process lives; a Mac that falls
asleep in a measurement would be told to be slow. Written from the manual; not run on a Mac.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Final

COMMAND: Final = "caffeinate"

Find = Callable[[str], str | None]


class Awake:
    """Keeps a Mac awake from `begin` to `end`; does nothing elsewhere."""

    def __init__(self, platform: str = sys.platform, find: Find = shutil.which) -> None:
        """Start nothing yet."""
        self._command = find(COMMAND) if platform == "darwin" else None
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        """Keep the machine awake, until `end` or the end of this process, whichever is first."""
        if self._command is None or self._process is not None:
            return
        words = [self._command, "-i", "-w", str(os.getpid())]
        quiet = subprocess.DEVNULL
        try:
            self._process = subprocess.Popen(words, stdin=quiet, stdout=quiet, stderr=quiet)
        except OSError:
            self._command = None  # a machine that cannot be kept awake is measured all the same

    def end(self) -> None:
        """Let the machine sleep again."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None
