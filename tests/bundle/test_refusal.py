"""The program of a call that is to be refused fails where it is accepted, and only there."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pytest_applegpu.bundle.folder import write
from pytest_applegpu.bundle.operand import Held
from pytest_applegpu.bundle.refusal import Attempt


def attempt(call: str, names: tuple[str, ...] = ("dimension",), size: int = 7) -> Attempt:
    """Return the program of a call of a 4 x 6 matrix and one of `size` x 5."""
    a, b = np.ones((4, 6), np.float32), np.ones((size, 5), np.float32)
    operands = (Held("a", "float32", a), Held("b", "float32", b))
    return Attempt("a case", "K must agree", names, operands, call, limit=20.0, device="cpu")


def run(one: Attempt, folder: Path) -> tuple[int, str]:
    """Run a program in a Python of its own; return its status and last line."""
    program = write(folder, "a case", one, None) / "repro.py"
    command = [sys.executable, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("one", "status", "said"),
    [
        (attempt("mx.matmul(a, b)"), 0, "right"),
        (attempt("mx.matmul(a, b)", ("colour",)), 1, "wrong: another error: [matmul] Last"),
        (
            attempt("mx.matmul(a, b[:6])"),
            1,
            "wrong: accepted, with a result of shape (4, 5) in mlx.core.float32",
        ),
        (attempt("mx.matmul(a, b)", size=4000), 0, "right"),
    ],
)
def test_a_program_tells_a_refusal_from_a_result(
    one: Attempt, status: int, said: str, tmp_path: Path
) -> None:
    ended, last = run(one, tmp_path)
    assert (ended, last[: len(said)]) == (status, said)


def test_a_program_says_why_and_parses() -> None:
    text = attempt("mx.matmul(a, b)").text
    ast.parse(text)
    assert "K must agree." in text
    assert attempt("mx.matmul(a, b)", size=4000).text.count("operands.npz") == 2
