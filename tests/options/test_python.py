"""`--applegpu-python`: the interpreter whose MLX is tested."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CASE, Suites

Logged = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def other(tmp_path: Path) -> str:
    """Another interpreter with MLX and NumPy, in which the product is not installed."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for name in ("mlx", "numpy"):
        spec = find_spec(name)
        assert spec is not None
        (home,) = spec.submodule_search_locations or [""]
        # Wheels keep the libraries that they bring in a folder beside the package.
        for found in Path(home).parent.glob(f"{name}*"):
            if found.name == name or found.suffix == ".libs":
                (packages / found.name).symlink_to(found)
    script = tmp_path / "python"
    real = os.path.realpath(sys.executable)
    script.write_text(f'#!/bin/sh\nPYTHONPATH={packages} exec {real} -S "$@"\n')
    script.chmod(0o755)
    return str(script)


def test_an_interpreter_without_the_product_is_tested(logged: Logged, other: str) -> None:
    (record,) = logged("--applegpu-python", other, "--applegpu-case", CASE)
    assert record["verdict"] == "exact"


def test_ini_twin_and_rerun_line(suites: Suites, ini: Callable[..., None]) -> None:
    ini(f"applegpu_python = {sys.executable}")
    result = suites("--applegpu-case", CASE, fault="last_row")
    result.stdout.fnmatch_lines([f"*--applegpu-python {sys.executable}*"])


def test_what_cannot_be_run_is_refused(suites: Suites) -> None:
    result = suites("--applegpu-python", "/nonexistent/python")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*--applegpu-python: '/nonexistent/python' is not an interpreter*"]
    )


def test_an_interpreter_without_mlx_is_told_how_to_get_it(suites: Suites) -> None:
    bare = os.path.realpath(sys.executable)
    result = suites("--applegpu-python", bare, "--applegpu-case", CASE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*pip install *"])
