"""A run keeps the machine awake from its first worker to its end, and one that runs nothing not."""

from __future__ import annotations

import pytest

from pytest_applegpu.conduct.awake import Awake
from tests.conftest import CASE, Suites

CPU = ("--applegpu-backend", "cpu", "--applegpu-case", CASE)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what the machine is told, in order."""
    found: list[str] = []
    monkeypatch.setattr(Awake, "begin", lambda _: found.append("awake"))
    monkeypatch.setattr(Awake, "end", lambda _: found.append("asleep"))
    return found


def test_a_run_keeps_the_machine_awake_until_it_ends(suites: Suites, told: list[str]) -> None:
    assert suites(*CPU).ret == pytest.ExitCode.OK
    assert told == ["awake", "asleep"]


def test_collecting_does_not(suites: Suites, told: list[str]) -> None:
    assert suites(*CPU, "--collect-only", "-q").ret == pytest.ExitCode.OK
    assert "awake" not in told
