"""`applegpu route --check-library`: which kernels are asked for and not there?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

import msgspec
import pytest

from pytest_applegpu.commands.whom import known, said, whole
from pytest_applegpu.device.build import read_build
from pytest_applegpu.device.commands import run_command
from pytest_applegpu.device.library import kernel_names
from pytest_applegpu.device.metallib import is_nax
from pytest_applegpu.device.release import release_of
from pytest_applegpu.lint.table import NOTHING_RAN
from pytest_applegpu.routing.versions import basis_of
from pytest_applegpu.survey.missing import Check, check
from pytest_applegpu.survey.missing_table import missing_table

CALLS: Final = 20_000
"""Drawn calls where nothing is said."""


def run(chosen: argparse.Namespace) -> int:
    """Print the kernels that are missing; the status is 1 where there are any.

    Raises:
        pytest.UsageError: the library cannot be read, or nothing says of which MLX it is.
    """
    place = _place(chosen.check_library)
    count = whole("calls", chosen.calls, CALLS)
    seed = whole("seed", said(chosen, "seed"), 0, least=0)
    try:
        names = frozenset(kernel_names(place))
    except ValueError as error:
        raise pytest.UsageError(f"--check-library: {error}") from None
    mlx = _version(chosen, place)
    nax = any(map(is_nax, names))
    found = check(names, mlx, nax=nax, count=count, seed=seed)
    if chosen.json:
        for one in found.missing:
            sys.stdout.write(msgspec.json.encode(one.as_json()).decode() + "\n")
    else:
        sys.stdout.write(_page(place, mlx, len(names), found, nax=nax))
    return 1 if found.missing else 0


def _place(asked: str) -> Path:
    if asked:
        return Path(asked).expanduser()
    build = read_build(None, run_command)
    if build.library is None:
        raise pytest.UsageError("--check-library: no MLX library is installed; give its PATH")
    return Path(build.library)


def _version(chosen: argparse.Namespace, place: Path) -> str:
    mlx = said(chosen, "mlx")
    if mlx is not None:
        return known(mlx, "mlx")
    found = release_of(place)
    if found is None:
        raise pytest.UsageError(f"--mlx: nothing says of which MLX {place} is; say it")
    return known(found, "check-library")


def _page(place: Path, mlx: str, names: int, found: Check, *, nax: bool) -> str:
    """Return the finding for people."""
    built = f"{place.name}: {names} kernels, {'with' if nax else 'without'} NAX"
    asked = f"{found.calls} calls asked for {found.kernels} kernels"
    lines = [
        f"{built}; MLX {mlx} ({basis_of(mlx).words})",
        f"{asked}, {found.refused} calls are refused by MLX before it asks for one",
        "",
        missing_table(found.missing) if found.missing else "every kernel is there",
        "",
        f"names read from the file; {NOTHING_RAN}",
    ]
    return "\n".join(lines) + "\n"
