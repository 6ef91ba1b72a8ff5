"""How a case is timed on two builds, with workers that say what they are told to."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.conduct.speed import COOL, Ended
from pytest_applegpu.conduct.versus.clock import LEAST, ROUNDS, WARM, conduct
from pytest_applegpu.conduct.versus.sides import Sides
from pytest_applegpu.report.versus_records import RunFacts, SideFacts
from pytest_applegpu.setting import Setting
from pytest_applegpu.throughput.duel import Duel
from pytest_applegpu.worker.process import Crashed
from pytest_applegpu.worker.requests import Refusal

(CASE,) = parse_cases("matmul-f32-nn-8x8x8 check=throughput", [Setting("off")])
SIDE = SideFacts(mlx="0.32.4", python="3.12.1", numpy="2.4.6")

Order = list[tuple[str, int]]


class FakePool:
    """Workers whose operation takes `seconds`, and others once they are replaced."""

    def __init__(self, name: str, order: Order, *seconds: float) -> None:
        self.name, self.order, self.seconds = name, order, list(seconds)
        self.fresh, self.noise = 0, 0.0
        self.random = np.random.default_rng(1)
        self.ends: Exception | Refusal | None = None
        self.prepared: list[tuple[int, list[Any]]] = []

    def prepare(self, *words: Any, copies: int, **_: Any) -> Any:
        self.prepared.append((copies, list(words[-1])))
        if isinstance(self.ends, Exception):
            raise self.ends
        return self.ends or {}

    def time(self, _: Any, counts: list[int], **__: Any) -> list[float]:
        self.order.append((self.name, len(counts)))
        jitter = 1 + 1e-3 * ((len(self.order) * 7) % 5)
        noise = np.exp(self.noise * self.random.standard_normal(len(counts)))
        each = self.seconds[self.fresh] * jitter
        return [each * count * one for count, one in zip(counts, noise.tolist(), strict=True)]

    def ask(self, _: Any, request: Any, __: float) -> dict[str, Any]:
        assert request == {"do": "release"}
        return {}

    def replace(self, _: Any) -> None:
        self.fresh += 1


def bench(pool: FakePool, backend: str, rounds: int | None, peak: float | None = None) -> Any:
    return SimpleNamespace(
        backend=backend,
        pool=pool,
        config=SimpleNamespace(rounds=rounds),
        device=SimpleNamespace(memory_bytes=SimpleNamespace(value=1 << 30)),
        gap=lambda _: None,
        no_room=lambda _: None,
        limit=lambda *_: 1.0,
        peak_tflops=lambda _: peak,
        arithmetic=lambda *_: None,
        operands=lambda *_: [np.ones((8, 8), np.float32)],
        random=lambda _, purpose: np.random.default_rng(len(purpose)),
    )


def made(
    this: tuple[float, ...],
    other: tuple[float, ...],
    *,
    backend: str = "cpu",
    rounds: int | None = 40,
) -> tuple[Sides, FakePool, FakePool, Order]:
    order: Order = []
    mine, theirs = FakePool("this", order, *this), FakePool("other", order, *other)
    run = RunFacts(this=SIDE, other=SIDE, product="0", timed=12)
    sides = Sides(bench(mine, backend, rounds), bench(theirs, backend, rounds), run)
    return sides, mine, theirs, order


def run(sides: Sides, slept: list[float] | None = None, case: Case = CASE) -> Duel | Ended:
    return conduct(case, sides, ([] if slept is None else slept).append)


def test_both_hold_the_same_operands_and_take_turns() -> None:
    sides, mine, theirs, order = made((0.7e-3,), (0.7e-3,))
    found = run(sides)
    assert isinstance(found, Duel)
    assert found.word == "same"
    assert (found.found.rounds, found.found.count) == (40, 2)
    ((copies, operands),), ((others, given),) = mine.prepared, theirs.prepared
    assert copies == others
    assert operands[0] is given[0]
    # A B B A: whoever begins a round is asked before and after two submissions of the other.
    turns = order[-3 * (40 + WARM) :]
    for at in range(0, len(turns), 3):
        (one, first), (two, both), (three, last) = turns[at : at + 3]
        assert (first, both, last) == (1, 2, 1)
        assert one == three != two
    assert mine.fresh == theirs.fresh == 0


@pytest.mark.parametrize("backend", ["cpu", "cuda", "metal"])
def test_a_slowdown_is_measured_again_by_fresh_workers_after_a_pause(backend: str) -> None:
    sides, mine, theirs, _ = made((1.1e-2, 1.1e-2), (1e-2, 1e-2), backend=backend)
    slept: list[float] = []
    found = run(sides, slept)
    assert isinstance(found, Duel)
    assert (found.word, found.confirmed) == ("slower", True)
    assert found.found.ratio == pytest.approx(1.1, abs=0.005)
    assert mine.fresh == theirs.fresh == 1
    assert slept == [COOL[backend]]


def test_a_slowdown_of_one_pair_of_processes_alone_is_none() -> None:
    sides, *_ = made((1.1e-3, 1e-3), (1e-3, 1e-3))
    found = run(sides)
    assert isinstance(found, Duel)
    assert found.word == "same"
    assert found.reason.startswith("first 1.10x slower, then as fast")


@pytest.mark.parametrize(("seconds", "rounds"), [(1e-3, ROUNDS), (0.05, 100), (1.0, LEAST)])
def test_rounds_fit_a_budget(seconds: float, rounds: int) -> None:
    sides, *_ = made((seconds,), (seconds,), rounds=None)
    found = run(sides)
    assert isinstance(found, Duel)
    assert found.found.rounds == pytest.approx(rounds, abs=1)


@pytest.mark.parametrize(
    ("ends", "word", "said"),
    [
        (Crashed("SIGSEGV", ""), "crashed", "the worker ended with SIGSEGV"),
        (Refusal("ValueError: no", "ValueError", sticky=False), "raised", "ValueError: no"),
    ],
)
def test_a_side_without_a_time_is_named(ends: Any, word: str, said: str) -> None:
    sides, mine, _, _ = made((1e-3,), (1e-3,))
    mine.ends = ends
    assert run(sides) == Ended(word, said)
    sides, _, theirs, _ = made((1e-3,), (1e-3,))
    theirs.ends = ends
    assert run(sides) == Ended("not comparable", f"other build: {word}: {said}")


def test_an_undecided_case_is_given_more_rounds_up_to_three_times_as_many() -> None:
    sides, mine, *_ = made((1e-3,), (1e-3,))
    mine.noise = 1.0
    found = run(sides)
    assert isinstance(found, Duel)
    assert found.word == "unstable"
    assert found.found.rounds == 3 * 40


def test_a_time_that_the_hardware_cannot_reach_is_refused() -> None:
    sides, mine, theirs, _ = made((1e-3,), (1e-3,))
    # 1024 operations in 1 ms are 1e-6 TFLOP/s.
    sides = Sides(bench(mine, "cpu", 40, 5e-7), bench(theirs, "cpu", 40), sides.run)
    found = run(sides)
    assert isinstance(found, Ended)
    assert found.verdict == "unstable"
    assert "more than 1.1 cannot be" in found.message


def test_a_gap_of_the_backend_is_no_measurement() -> None:
    sides, mine, _, _ = made((1e-3,), (1e-3,))
    sides.this.gap = lambda _: "no such format"  # type: ignore[assignment, method-assign]
    assert run(sides) == Ended("unsupported", "no such format")
    assert mine.prepared == []
