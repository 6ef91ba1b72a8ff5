"""Run the suites inside a test, as a user would in an empty folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# NumPy loads once per process, and pytester forgets modules that were first imported in a run
# inside a test. So whatever such a run needs is imported here, before any.
import scipy.stats  # noqa: F401
from hypothesis import settings

import pytest_applegpu.conduct.keep
import pytest_applegpu.conduct.records
import pytest_applegpu.session  # noqa: F401

# A test says the same on every machine and under every load: what it draws follows from its text.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

FAULTS = Path(__file__).parent / "faults"

CASE = "matmul-f32-nt-16x17x33 fill=integer tf32=on"
"""A case that takes no time."""

REAL = "matmul-f32-nt-16x17x33 fill=normal tf32=on"
"""Another one, with an error to keep."""

Suites = Callable[..., pytest.RunResult]


@pytest.fixture
def suites(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Suites:
    """Run the packaged suites with the given words, warnings being errors."""
    for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
        monkeypatch.delenv(name, raising=False)
    for name in [name for name in os.environ if name.startswith("MLX_")]:
        monkeypatch.delenv(name)

    # Whether this machine is busy is no business of these tests.
    monkeypatch.setattr("pytest_applegpu.device.condition.BUSY", float("inf"))
    pytester.makeconftest("from pytest_applegpu.device import condition; condition.BUSY = 1e9")

    def run(*words: str, fault: str | None = None, apart: bool = False) -> pytest.RunResult:
        if fault is not None:
            monkeypatch.setenv("PYTHONPATH", str(FAULTS))
            monkeypatch.setenv("APPLEGPU_TEST_FAULT", fault)
        start = pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess
        return start(
            "--pyargs", "pytest_applegpu.suites", "-W", "error", "-p", "no:cacheprovider", *words
        )

    return run


@pytest.fixture
def logged(suites: Suites, pytester: pytest.Pytester) -> Callable[..., list[dict[str, Any]]]:
    """Run the suites and return the objects of the report log."""

    def run(*words: str, **more: Any) -> list[dict[str, Any]]:
        suites("--applegpu-report-log", "log.jsonl", *words, **more)
        return [json.loads(line) for line in (pytester.path / "log.jsonl").read_text().splitlines()]

    return run


@pytest.fixture
def ini(pytester: pytest.Pytester) -> Callable[..., None]:
    """Write an ini file with the given lines."""

    def write(*lines: str) -> None:
        pytester.makeini("\n".join(["[pytest]", *lines]))

    return write
