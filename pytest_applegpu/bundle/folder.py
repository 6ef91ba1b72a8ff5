"""Where does a bundle lie, and what may it replace? A folder of its own, or an earlier one."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np

from pytest_applegpu.bundle.refusal import Attempt
from pytest_applegpu.bundle.script import ARRAYS, Repro, script

PROGRAM: Final = "repro.py"
FACTS: Final = "facts.json"
MAP: Final = "map.svg"

_LONGEST: Final = 120
"""Characters of a folder's name, beyond which a case's text is cut and told by its digest."""


class BundleError(ValueError):
    """A bundle cannot be written; the message names the folder."""


def slug(case: str) -> str:
    """Return the name of the folder of a case's bundle."""
    name = re.sub(r"[^A-Za-z0-9._]+", "-", case).strip("-.")
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST - 9]}-{sha256(case.encode()).hexdigest()[:8]}"


def write(parent: Path, case: str, repro: Repro | Attempt, picture: str | None) -> Path:
    """Write the program, its operands and the map of `case`; return the folder.

    Raises:
        BundleError: the folder holds something else than a bundle of the same case, or cannot
            be written.
    """
    folder = parent / slug(case)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_foreign(folder, case)
        # First of all, so that a bundle that was cut short is known for one of ours.
        write_facts(folder, {"case": case})
        _write_arrays(folder, repro)
        _write(folder / PROGRAM, repro.text if isinstance(repro, Attempt) else script(repro))
        (folder / MAP).unlink(missing_ok=True)
        if picture is not None:
            _write(folder / MAP, picture)
    except OSError as error:
        raise _system_error(folder, error) from error
    return folder


def write_facts(folder: Path, facts: dict[str, Any]) -> None:
    """Write what is known of the failure; it holds the text of its case under `case`.

    Raises:
        BundleError: the file cannot be written.
    """
    try:
        _write(folder / FACTS, json.dumps(facts, indent=2, allow_nan=False) + "\n")
    except OSError as error:
        raise _system_error(folder, error) from error


def _system_error(folder: Path, error: OSError) -> BundleError:
    return BundleError(f"{str(folder)!r} cannot be written: {error.strerror or error}")


def _refuse_foreign(folder: Path, case: str) -> None:
    if not any(folder.iterdir()):
        return
    try:
        facts = json.loads((folder / FACTS).read_text("utf-8"))
        ours = isinstance(facts, dict) and facts.get("case") == case
    except (OSError, ValueError):
        ours = False
    if not ours:
        said = f"and holds no bundle of {case}; remove it, or name another folder"
        raise BundleError(f"{str(folder)!r} exists {said}")


def _write_arrays(folder: Path, repro: Repro | Attempt) -> None:
    if repro.tiny:
        (folder / ARRAYS).unlink(missing_ok=True)
        return
    with _draft(folder / ARRAYS) as draft, draft.open("wb") as file:
        np.savez_compressed(file, **repro.arrays)  # type: ignore[arg-type]


def _write(path: Path, text: str) -> None:
    with _draft(path) as draft:
        draft.write_text(text, "utf-8")


@contextmanager
def _draft(path: Path) -> Iterator[Path]:
    """Yield a path to write to, which takes the place of `path` at once when all is written."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield draft
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
