"""A program needs mlx and numpy alone, and tells right from wrong, whatever MLX does."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from pytest_applegpu.bundle.folder import write
from pytest_applegpu.bundle.operand import Held
from pytest_applegpu.bundle.script import EVERY_SPECIAL, RIGHT, Repro, script
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.selftest.run import PLANTED

STORAGE = {"bfloat16": ml_dtypes.bfloat16}
LIMIT = 20.0


def repro(dtype: str = "float32", call: str = "mx.matmul(a, b)", k: int = 9) -> Repro:
    """Return the program of a 3 x 2 product of integers, the rows of A lying apart."""
    kind = STORAGE.get(dtype, dtype)
    a = (np.arange(3 * k).reshape(3, k) % 5).astype(kind)
    b = (np.arange(2 * k).reshape(k, 2) % 3).astype(kind)
    apart = np.full((3, k + 4), np.nan).astype(kind)
    apart[:, 2:-2] = a
    cut = ("slice", [[0, 3, 1], [2, 2 + k, 1]])
    operands = (Held("a", dtype, apart, (cut,)), Held("b", dtype, b))
    return Repro(
        "a case",
        operands,
        call,
        "np.matmul(a, b)",
        dtype,
        (3, 2),
        limit=LIMIT,
        device="cpu",
        environment={"MLX_ENABLE_TF32": "0"},
    )


def run(one: Repro, folder: Path, fault: str = "") -> tuple[int, str]:
    """Run a program in a Python of its own; return its status and last line."""
    program = write(folder, "a case", one, None) / "repro.py"
    environment = {name: said for name, said in os.environ.items() if "APPLEGPU" not in name}
    environment |= {"PYTHONPATH": str(PLANTED), "APPLEGPU_SELFTEST_FAULT": fault}
    environment |= {
        "APPLEGPU_SELFTEST_PROGRAM": "repro.py",
        "APPLEGPU_SELFTEST_LIBRARY": "mlx.core",
        "MLX_ENABLE_TF32": "1",
    }
    done = subprocess.run(
        [sys.executable, str(program)],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("MLX ")
    assert "Device(cpu" in done.stdout
    return done.returncode, done.stdout.splitlines()[-1]


@pytest.mark.parametrize("dtype", DTYPES)
def test_right_is_status_0_and_wrong_is_1(tmp_path: Path, dtype: str) -> None:
    assert run(repro(dtype), tmp_path) == (0, "right")
    status, said = run(repro(dtype), tmp_path, "first_element")
    assert status == 1
    assert said.startswith("wrong: 1 of 6 elements, worst [0, 0]: got ")


def test_numbers_beside_the_program_are_found(tmp_path: Path) -> None:
    large = repro(k=2000)
    assert not large.tiny
    assert run(large, tmp_path) == (0, "right")
    assert run(large, tmp_path, "last_term")[0] == 1


def test_a_bound_allows_what_it_says(tmp_path: Path) -> None:
    off = np.full((3, 2), 1.0)
    wrong = repro(call="mx.matmul(a, b) + 1")
    assert run(replace(wrong, allowed=off), tmp_path) == (0, "right")
    off[2, 1] = 0.5
    status, said = run(replace(wrong, allowed=off), tmp_path)
    assert (status, said[:37]) == (1, "wrong: 1 of 6 elements, worst [2, 1]:")


def test_a_stored_result_holds_nan_where_it_is_due(tmp_path: Path) -> None:
    right = np.array([[np.nan, 1], [2, 3], [np.inf, 5]])
    text = "mx.array([[float('nan'), 1], [2, 3], [float('inf'), 5]])"
    due = replace(repro(call=text), reference=RIGHT, right=right)
    assert run(due, tmp_path) == (0, "right")
    lost = replace(due, call="mx.array([[0.0, 1], [2, 3], [float('inf'), 5]])")
    assert run(lost, tmp_path) == (1, "wrong: 1 of 6 elements, worst [0, 0]: got 0.0, expected nan")


def test_complex_numbers_that_are_not_finite_are_alike(tmp_path: Path) -> None:
    right = np.array([[complex(np.nan, 1), 1], [2, 3], [4, 5]])
    call = "mx.array([[complex(float('inf'), 0), 1], [2, 3], [4, 5]], mx.complex64)"
    due = replace(repro("complex64", call), reference=RIGHT, right=right)
    assert run(replace(due, both=EVERY_SPECIAL), tmp_path) == (0, "right")
    assert run(due, tmp_path)[0] == 1


@pytest.mark.parametrize(
    ("fault", "status", "said"),
    [
        ("abort", -6, ""),
        ("segfault", -11, ""),
        ("exits_politely", 1, "wrong: SystemExit: 0"),
        ("device_lost", 1, "wrong: RuntimeError: cudaErrorIllegalAddress"),
        ("second_operand_changed", 1, "wrong: the call changed its operand b in place"),
    ],
)
def test_every_ending_is_told(tmp_path: Path, fault: str, status: int, said: str) -> None:
    ended, last = run(repro(), tmp_path, fault)
    assert ended == status
    assert not said or last.startswith(said)


def test_a_hang_ends(tmp_path: Path) -> None:
    hasty = replace(repro(), limit=0.2)
    assert run(hasty, tmp_path, "hang") == (1, "wrong: no answer within 0.2 s")


@pytest.mark.parametrize("call", ["mx.matmul(a, b)[0]", "mx.matmul(a, b).astype(mx.float16)"])
def test_shape_and_format_are_held_to(tmp_path: Path, call: str) -> None:
    status, said = run(repro(call=call), tmp_path)
    assert status == 1
    assert said.startswith("wrong: a result of shape (")


def test_calls_that_do_not_agree(tmp_path: Path) -> None:
    status, said = run(replace(repro(), calls=50), tmp_path, "one_call_in_forty")
    assert status == 1
    assert said.endswith("(call 40 of 50)")


def test_only_mlx_and_numpy_are_imported() -> None:
    tree = ast.parse(script(repro()))
    found = {
        name.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for name in node.names
    }
    assert found - set(sys.stdlib_module_names) == {"mlx", "numpy"}
    assert not any(isinstance(node, ast.ImportFrom) for node in ast.walk(tree))


def test_layers_are_imported_where_one_is_called(tmp_path: Path) -> None:
    layer = repro(call='nn.Linear(9, 2, bias=False).update({"weight": b.T})(a)')
    assert "import mlx.nn as nn" in script(layer)
    assert "mlx.nn" not in script(repro())
    assert run(layer, tmp_path)[0] == 0
