"""`--applegpu-python`: the interpreter whose MLX is tested."""

from __future__ import annotations

import json
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


GREETING = {
    "protocol": 1,
    "python": "3.11.7",
    "executable": "/usr/bin/python3",
    "machine": "x86_64",
    "mac_ver": "",
    "numpy": "2.4.6",
    "mlx": "0.32.4",
    "mlx_file": None,
    "backend": "cpu",
    "device_info": {},
    "device_info_error": None,
}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("hello\x1b[31m", r"no JSON but 'hello\x1b[[]31m'"),
        ("[1, 2]", "no JSON object but '[[]1, 2]'"),
        ("", "no JSON but nothing"),
        (json.dumps({"protocol": 7}), "protocol 7 is not 1"),
        (json.dumps({"protocol": 1}), "lacks*python*mlx*backend*device_info"),
        (json.dumps({**GREETING, "mlx": 3}), 'another form, mlx: *"mlx": 3'),
        (json.dumps({**GREETING, "device_info": "M5"}), "another form, device_info: "),
        (json.dumps({**GREETING, "backend": ["cpu"]}), "another form, backend: "),
        (json.dumps({"error": {"a": 1}}), """an error that is no text: '{"a": 1}'"""),
        (json.dumps({"error": "no \x1b[31m"}), r"no \x1b[[]31m"),
        ("[" * 100_000, "no JSON but '[[][[][[]"),
    ],
)
def test_an_interpreter_that_answers_oddly_is_named_with_what_it_said(
    suites: Suites, tmp_path: Path, answer: str, said: str
) -> None:
    (tmp_path / "answer").write_text(f"{answer}\n")
    script = tmp_path / "python"
    # The third word of a worker's command is the descriptor that it answers on.
    script.write_text(
        f'#!/bin/bash\n[ -n "$6" ] || exec {sys.executable} "$@"\ncat {tmp_path}/answer >&$3\n'
    )
    script.chmod(0o755)
    result = suites(
        *("--applegpu-backend", "cpu", "--applegpu-python", str(script), "--applegpu-case", CASE)
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*the worker under {script} did not start: *{said}*"])
    assert max(map(len, result.errlines)) < 1000
