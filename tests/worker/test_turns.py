"""Many compute at a time, one alone is timed, and nobody waits for ever."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from pytest_applegpu.worker.turns import alone, shared

OTHER = """
import fcntl, sys, tempfile
tempfile.tempdir = sys.argv[1]
from pytest_applegpu.worker import turns
flock = fcntl.flock
def unwaiting(handle, how):
    flock(handle, how | fcntl.LOCK_NB)
fcntl.flock = unwaiting
try:
    with getattr(turns, sys.argv[2])("cpu"):
        print("in")
except BlockingIOError:
    print("out")
"""


@pytest.fixture(autouse=True)
def _own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def other(tmp_path: Path, how: str) -> str:
    """Try to get in from another process, without waiting."""
    command = [sys.executable, "-c", textwrap.dedent(OTHER), str(tmp_path), how]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_while_one_computes_another_may_and_none_is_timed(tmp_path: Path) -> None:
    with shared("cpu"):
        assert other(tmp_path, "shared") == "in"
        assert other(tmp_path, "alone") == "out"


def test_while_one_is_timed_nobody_else_gets_in(tmp_path: Path) -> None:
    with alone("cpu"):
        assert other(tmp_path, "shared") == "out"
        assert other(tmp_path, "alone") == "out"
    assert other(tmp_path, "alone") == "in"


def test_backends_do_not_wait_for_each_other(tmp_path: Path) -> None:
    with alone("cuda"):
        assert other(tmp_path, "alone") == "in"
