"""Where is the interpreter that has MLX in a named version? Made once a version, then kept.

The environment has the Python and the NumPy of the interpreter under test, so that MLX is all that
differs. One that was left half made is made again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from filelock import FileLock

MARK: Final = ".made"
"""Stands in an environment that is whole; it holds the words that were installed."""

LINES: Final = 4
"""Last lines of pip that an error shows."""

Run = Callable[[Sequence[str]], subprocess.CompletedProcess[str]]
"""Runs a command to its end, with its output as text."""


class EnvironmentFailedError(Exception):
    """An environment could not be made; the text says which command failed, and its last words."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An environment: its MLX, the backend to install, and the Python and NumPy to give it."""

    mlx: str
    backend: str
    python: str
    python_version: str
    numpy: str

    @property
    def requirements(self) -> tuple[str, ...]:
        """What pip is to install."""
        extra = {"cpu": "[cpu]", "cuda": "[cuda13]"}.get(self.backend, "")
        if sys.platform == "darwin":
            extra = ""
        return (f"mlx{extra}=={self.mlx}", f"numpy=={self.numpy}")

    @property
    def name(self) -> str:
        """Folder of the environment."""
        return f"mlx-{self.mlx}-{self.backend}-py{self.python_version}-numpy{self.numpy}"


def run_plainly(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; the environment that pytest runs in does not reach into it."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    try:
        return subprocess.run(
            command, env=environ, capture_output=True, text=True, errors="replace", check=False
        )
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, "", str(error))


def cache_folder(environ: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Return the user's folder for what can be made again."""
    asked = environ.get("XDG_CACHE_HOME", "")
    if Path(asked).is_absolute():
        return Path(asked) / "pytest-applegpu"
    home = Path(environ.get("HOME", "~")).expanduser()
    return home / ("Library/Caches" if platform == "darwin" else ".cache") / "pytest-applegpu"


def made(wanted: Wanted, folder: Path, run: Run = run_plainly) -> str:
    """Return the interpreter of the environment under `folder`, made if it is not there.

    Raises:
        EnvironmentFailedError: Python or pip failed, or the folder cannot be written.
    """
    place = folder / wanted.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f"{wanted.name}.lock"):
            if not _whole(place, wanted):
                _make(place, wanted, run)
    except OSError as error:
        raise EnvironmentFailedError(f"{place} cannot be made: {error}") from None
    return str(place / "bin" / "python")


def _whole(place: Path, wanted: Wanted) -> bool:
    mark = place / MARK
    interpreter = place / "bin" / "python"
    said = " ".join(wanted.requirements)
    return interpreter.exists() and mark.is_file() and mark.read_text("utf-8") == said


def _make(place: Path, wanted: Wanted, run: Run) -> None:
    if place.exists():
        shutil.rmtree(place)
    _done(run, (wanted.python, "-m", "venv", str(place)))
    pip = (str(place / "bin" / "python"), "-m", "pip", "--disable-pip-version-check")
    _done(run, (*pip, "install", "--quiet", *wanted.requirements))
    (place / MARK).write_text(" ".join(wanted.requirements), "utf-8")


def _done(run: Run, command: Sequence[str]) -> None:
    ended = run(command)
    if ended.returncode:
        said = [line.strip() for line in (ended.stderr or ended.stdout).splitlines()]
        last = " | ".join([line for line in said if line][-LINES:]) or "no message"
        raise EnvironmentFailedError(f"'{' '.join(command)}' failed: {last}")
