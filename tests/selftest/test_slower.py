"""A library that is slower and nothing else, by a share of the time that a submission took."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pytest_applegpu.selftest.faults import FAULTS, plant, slower


class Clock:
    """A clock that the library moves, and that moves a little each time it is looked at."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1e-6
        return self.now

    def work(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(slower, "perf_counter", found)
    return found


def library(clock: Clock, seconds: float = 1.0) -> Any:
    """Return a library whose work is done when it is waited for."""
    return SimpleNamespace(
        matmul=np.matmul,
        async_eval=lambda *_: None,
        synchronize=lambda *_: clock.work(seconds),
        array=type("array", (), {}),
    )


def submit(core: Any, *sizes: tuple[int, int]) -> Any:
    result = core.matmul(*(np.ones(size) for size in sizes))
    core.async_eval([result])
    core.async_eval([result])
    core.synchronize()
    return result


@pytest.mark.parametrize(("percent", "share"), [(5, 0.05), (10, 0.1), (300, 3.0)])
def test_a_submission_takes_its_share_longer(clock: Clock, percent: int, share: float) -> None:
    core = library(clock)
    plant(core, f"slower_by_{percent}_percent")
    for _ in range(2):
        before = clock.now
        assert np.array_equal(submit(core, (2, 3), (3, 4)), np.full((2, 4), 3.0))
        assert clock.now - before == pytest.approx(1 + share, abs=1e-4)


def test_one_size_alone_is_slow(clock: Clock) -> None:
    core = library(clock)
    plant(core, "slower_by_50_percent:2x4x3")
    for sizes, seconds in ((((2, 3), (3, 4)), 1.5), (((2, 3), (3, 5)), 1.0)):
        before = clock.now
        submit(core, *sizes)
        assert clock.now - before == pytest.approx(seconds, abs=1e-4)


def test_waiting_for_nothing_costs_nothing(clock: Clock) -> None:
    core = library(clock)
    plant(core, "slower_by_50_percent")
    core.synchronize()
    assert clock.now == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("name", ["slower", "slower_by_x_percent", "slower_by_5_percent:2x3"])
def test_what_names_no_share_is_no_such_fault(clock: Clock, name: str) -> None:
    assert name not in FAULTS
    assert not slower.plant(library(clock), name)
