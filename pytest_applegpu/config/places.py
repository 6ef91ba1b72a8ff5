"""Which files, folders and interpreters were named, and are they there?"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from packaging.version import InvalidVersion, Version

from pytest_applegpu.config.values import WrongError
from pytest_applegpu.options import BY_NAME


def folder(value: str, root: Path, *, update: bool) -> Path:
    """Return the folder of baselines: it is there, or the default, or an update makes it.

    Raises:
        WrongError: it cannot be one.
    """
    folder = root / Path(value).expanduser()
    default = value == BY_NAME["baselines"].default
    if not value or (folder.exists() and not folder.is_dir()):
        raise WrongError("baselines", value, "a folder")
    if not (folder.is_dir() or default or update):
        allowed = "a folder that is there; --applegpu-update-baselines makes it"
        raise WrongError("baselines", value, allowed)
    return folder


def bundle(text: Callable[[str], str], here: Path) -> Path | None:
    """Return the folder of bundles, which is made with the first of them.

    Raises:
        WrongError: it cannot be written.
    """
    value = text("bundle")
    if not value:
        return None
    if text("backend") == "emulated":
        allowed = "of use on an emulated device, whose results no program of MLX's has"
        raise WrongError("bundle", value, allowed)
    folder = here / Path(value).expanduser()
    there = next((one for one in (folder, *folder.parents) if one.exists()), folder)
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        raise WrongError("bundle", value, f"a folder that can be written: see {str(there)!r}")
    return folder


def known_issues(value: str, here: Path) -> Path | Literal["shipped", "none"]:
    """Return the file of known issues, or the word for those that are shipped, or for none.

    Raises:
        WrongError: the file is not there.
    """
    if value == "shipped":
        return "shipped"
    if value == "none":
        return "none"
    file = here / Path(value).expanduser()
    if not value or not file.is_file():
        raise WrongError("known-issues", value, "shipped, none, or a file that is there")
    return file


def shapes(lines: tuple[str, ...], here: Path) -> tuple[str, ...]:
    """Return names as they are, and paths from `here`."""
    words = (word.strip() for line in lines for word in line.split(","))
    paths = (str(here / Path(word).expanduser()) if _is_file(word) else word for word in words)
    return tuple(dict.fromkeys(paths))


def _is_file(word: str) -> bool:
    return word.endswith(".toml")


def interpreter(option: str, value: str, here: Path) -> str:
    """Return an interpreter that can be run; this one where none is said.

    Raises:
        WrongError: it cannot be.
    """
    if not value:
        return sys.executable
    # A name without a folder is looked up; a path is kept as written, since resolving the link
    # in a virtual environment would leave that environment.
    found = shutil.which(str(here / Path(value).expanduser()) if "/" in value else value)
    if found is None:
        raise WrongError(option, value, "an interpreter that can be run: give the path of one")
    return found


def versus(text: Callable[[str], str], here: Path, *, update: bool) -> str | None:
    """Return the other interpreter, or the MLX to make one with; None where none is asked for.

    Raises:
        WrongError: it is neither, or cannot be compared here.
    """
    value = text("versus")
    if not value:
        return None
    if text("backend") == "emulated":
        raise WrongError("versus", value, "of use on an emulated device, which has one build")
    if update:
        allowed = "to be joined with --applegpu-update-baselines: times taken in turns are no"
        raise WrongError("versus", value, f"{allowed} baseline")
    name, equals, version = value.partition("==")
    if not equals:
        return interpreter("versus", value, here)
    try:
        if name.strip() == "mlx":
            return f"mlx=={Version(version.strip())}"
    except InvalidVersion:
        pass
    raise WrongError("versus", value, "mlx==VERSION, as in mlx==0.31.2, or an interpreter's path")


def resume(value: str, here: Path, versus: str | None) -> Path | None:
    """Return the log of a versus run to go on with; None where none is said.

    Raises:
        WrongError: it is not there, or this is no versus run.
    """
    if not value:
        return None
    if versus is None:
        raise WrongError("resume", value, "of use without --applegpu-versus")
    file = here / Path(value).expanduser()
    if not file.is_file():
        raise WrongError("resume", value, "a report log that is there")
    return file
