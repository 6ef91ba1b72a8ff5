"""Of which MLX release is a library? Read from the names and metadata beside it."""

from __future__ import annotations

import re
import zipfile
from email.parser import HeaderParser
from pathlib import Path
from typing import Final

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

_INFO: Final = re.compile(r"mlx(?:_metal)?-(?P<version>[^-/]+)\.dist-info", re.ASCII)

_ABOVE: Final = 4
"""Folders above a library among which its package's metadata is looked for."""


def release_of(place: Path) -> str | None:
    """Return the version of the MLX whose library is at `place`; None where nothing says.

    `place` is a wheel, an mlx.metallib, or the folder that holds one.
    """
    if place.suffix == ".whl":
        return _by_name(place.name) or _by_metadata(place)
    near = place.resolve()
    for folder in (near, *list(near.parents)[:_ABOVE]):
        found = sorted(
            filter(None, (_INFO.fullmatch(one.name) for one in _entries(folder))), key=str
        )
        if found:
            return found[-1]["version"]
    return None


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir()) if folder.is_dir() else []
    except OSError:
        return []


def _by_name(name: str) -> str | None:
    try:
        return str(parse_wheel_filename(name)[1])
    except InvalidWheelFilename:
        return None


def _by_metadata(place: Path) -> str | None:
    try:
        with zipfile.ZipFile(place) as wheel:
            name = next((n for n in wheel.namelist() if n.endswith(".dist-info/METADATA")), None)
            if name is None:
                return None
            return HeaderParser().parsestr(wheel.read(name).decode("utf-8", "replace"))["Version"]
    except (OSError, zipfile.BadZipFile, RuntimeError, EOFError):
        return None
