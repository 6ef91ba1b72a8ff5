"""`applegpu route --map`: a plane of sizes coloured by path."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pytest

from pytest_applegpu.commands.whom import whole, whom_of
from pytest_applegpu.dtypes import DTYPES, parse_dtype
from pytest_applegpu.survey.picture import FORMATS, draw
from pytest_applegpu.survey.plane import PLANES, Plane

INSTALL = "pip install matplotlib"


def run(chosen: argparse.Namespace) -> int:
    """Draw the plane, and say where.

    Raises:
        pytest.UsageError: an option is wrong, matplotlib is missing, or the file cannot be written.
    """
    if chosen.json:
        raise pytest.UsageError("--json: --map draws a picture")
    plane = _plane(chosen)
    path = Path("route-map.png" if chosen.out is None else chosen.out).expanduser()
    if path.suffix not in FORMATS:
        raise pytest.UsageError(f"--out: {path.name!r} does not end in {' or '.join(FORMATS)}")
    try:
        draw(plane, path)
    except ImportError:
        raise pytest.UsageError(f"--map needs matplotlib: {INSTALL}") from None
    except OSError as error:
        raise pytest.UsageError(f"--out: {path} cannot be written: {error}") from None
    sys.stdout.write(f"{path}\n")
    return 0


def _plane(chosen: argparse.Namespace) -> Plane:
    name = chosen.plane or "mn"
    fixed, other = ("k", "n") if name == "mn" else ("n", "k")
    if getattr(chosen, other) is not None:
        raise pytest.UsageError(f"--{other}: it is an axis of --plane {name}; --{fixed} is fixed")
    size = whole(fixed, getattr(chosen, fixed), 4096)
    target = whom_of(chosen).target
    return Plane(target, _dtype(chosen), chosen.layout or "nt", PLANES[name], (fixed.upper(), size))


def _dtype(chosen: argparse.Namespace) -> str:
    try:
        dtype = parse_dtype(chosen.dtype or "float16")
    except ValueError as error:
        raise pytest.UsageError(f"--dtype: {error}") from None
    if dtype.name == "float64":
        allowed = ", ".join(name for name in DTYPES if name != "float64")
        raise pytest.UsageError(f"--dtype: no GPU multiplies float64; one of {allowed}")
    return dtype.name
