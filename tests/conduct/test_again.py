"""A suspected slowdown is measured again: fresh workers, a pause to cool, all judged together."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_applegpu.baselines.records import Run, Speed
from pytest_applegpu.baselines.store import Past
from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.conduct import speed
from pytest_applegpu.conduct.speed import COOL, Ended, Measured
from pytest_applegpu.device.condition import Condition
from pytest_applegpu.setting import Setting
from pytest_applegpu.throughput.slope import METHOD, Timing

(CASE,) = parse_cases("matmul-f32-nn-8x8x8 check=throughput", [Setting("off")])
RUN = Run(dt.date(2026, 12, 1), "0.32.4", None, "Linux", "no", "no", None)
KNOWN = Speed("2026-12-01-00000000", 1, 0.99, 1.01, 0.01, 1, 16, 10, 0.01, 0, 0, METHOD)
SHELF: Any = SimpleNamespace(speed=lambda _: Past(KNOWN, RUN, Path("x.json")))
QUIET: Any = SimpleNamespace(
    virtual=False,
    **{
        name: SimpleNamespace(value=None)
        for name in ("power_source", "power_mode", "thermal", "load", "throttle")
    },
)


class Workers:
    """A bench whose measurements are given, and what was asked of it."""

    def __init__(self, backend: str, ratios: list[float]) -> None:
        self.backend, self.ratios = backend, iter(ratios)
        self.did: list[str | float] = []
        self.pool = SimpleNamespace(replace=lambda _: self.did.append("fresh"))
        self.bandwidth_gbs = None

    def condition(self) -> Condition:
        found: Condition = QUIET
        return found

    def peak_tflops(self, _: Any) -> None:
        return None

    def measure(self, *_: Any) -> Timing | Ended:
        ratio = next(self.ratios)
        if not ratio:
            return Ended("crashed", "SIGSEGV")
        return Timing(ratio, 0.99 * ratio, 1.01 * ratio, 0.01, ratio, 0.0, 1, (ratio,) * 16)


def conducted(
    monkeypatch: pytest.MonkeyPatch, *ratios: float, backend: str = "cuda"
) -> tuple[Measured | Ended, list[str | float]]:
    workers: Any = Workers(backend, list(ratios))
    monkeypatch.setattr(speed, "measure", workers.measure)
    monkeypatch.setattr(speed, "nax_missed", lambda *_: None)
    found = speed.conduct(CASE, workers, SHELF, RUN, timed=12, sleep=workers.did.append)
    return found, workers.did


@pytest.mark.parametrize("backend", ["cpu", "cuda", "metal"])
def test_a_slowdown_is_measured_again_by_a_fresh_worker_after_a_pause(
    monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    found, did = conducted(monkeypatch, 1.3, 1.2, backend=backend)
    assert isinstance(found, Measured)
    assert found.comparison.word == "slower"
    assert found.timing.seconds == 1.2
    assert did == ["fresh", COOL[backend]]


def test_what_is_the_same_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found, did = conducted(monkeypatch, 1.0)
    assert isinstance(found, Measured)
    assert found.comparison.word == "same"
    assert did == []


def test_a_slowdown_of_one_worker_alone_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    found, did = conducted(monkeypatch, 1.3, 1.0)
    assert isinstance(found, Measured)
    assert found.comparison.word == "same"
    assert len(did) == 2


def test_a_worker_that_ends_meanwhile_is_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = conducted(monkeypatch, 1.3, 0.0)
    assert found == Ended("crashed", "SIGSEGV")
