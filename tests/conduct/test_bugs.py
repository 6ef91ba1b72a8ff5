"""A case's record names the public bugs that it asks for, and whether they are there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.bugs import with_bugs
from pytest_applegpu.report.records import Record, from_builtins
from pytest_applegpu.setting import Setting

HALF = "addmm-bf16-nn-3x4x5 fill=integer tf32=on"
"""A case of mlx-2661: a gap of the CPU backend until 0.29.3."""


def bench(version: str, backend: str = "cpu") -> Bench:
    """Return what stands for a bench of one MLX."""
    facts = {
        "architecture": SimpleNamespace(value="x86_64"),
        "mlx_version": SimpleNamespace(value=version),
        "name": SimpleNamespace(value="a processor"),
    }
    return cast("Bench", SimpleNamespace(backend=backend, device=SimpleNamespace(**facts)))


def asked(version: str, verdict: str, backend: str = "cpu") -> Record:
    """Return the record of `HALF` that ended in `verdict` with an MLX."""
    (case,) = parse_cases(HALF, [Setting("on")])
    problem = {"op": "addmm", "dtype": "bfloat16", "m": 3, "n": 4, "k": 5}
    facts = {"case": HALF, "kind": "exact", "problem": problem, "setting": {"tf32": "on"}}
    record = from_builtins({**facts, "verdict": verdict})
    return with_bugs(record, case, bench(version, backend))


@pytest.mark.parametrize(
    ("version", "verdict", "becomes", "affected"),
    [
        ("0.29.2", "unsupported", "raised", True),
        ("0.29.2", "crashed", "crashed", True),
        ("0.29.3", "exact", "exact", False),
        ("0.29.3", "unsupported", "unsupported", False),
    ],
)
def test_a_gap_that_was_closed_is_an_error_of_those_before(
    version: str, verdict: str, becomes: str, affected: bool
) -> None:
    record = asked(version, verdict)
    assert record.verdict == becomes
    assert [(bug.id, bug.affected) for bug in record.bugs] == [("mlx-2661-addmm-half", affected)]


def test_another_backend_is_not_asked() -> None:
    record = asked("0.29.2", "unsupported", "metal")
    assert (record.verdict, record.bugs) == ("unsupported", ())
