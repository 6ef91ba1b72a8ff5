"""One product on two sides, with workers that say what they are told to."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.conduct.compare.product import NO_TIMES, compare
from pytest_applegpu.conduct.speed import Ended
from pytest_applegpu.conduct.versus.sides import Sides
from pytest_applegpu.numerics.bounds import Arithmetic, promise
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.report.versus_records import RunFacts, SideFacts
from pytest_applegpu.setting import Setting
from pytest_applegpu.throughput.paired import Paired
from pytest_applegpu.worker.process import Crashed
from pytest_applegpu.worker.requests import Answer, Refusal

ON, OFF = Setting("on"), Setting("off")
NAMES = ("tf32=on", "tf32=off")
SIDE = SideFacts(mlx="0.32.4", python="3.12.1", numpy="2.4.6")


def case(text: str = "matmul-f32-nn-16x16x16") -> Any:
    return parse_cases(f"{text} check=throughput", [ON])[0]


def cut(values: np.ndarray) -> np.ndarray:
    """Return float32 with 11 significant bits, as NAX keeps them."""
    return ((values.view(np.uint32) + 0x1000) & 0xFFFFE000).view(np.float32)


class Multiplying:
    """Workers that multiply; with TF32 on they cut operands and take half of the time."""

    def __init__(self) -> None:
        self.ends: dict[Setting, Any] = {}
        self.sent: list[Any] = []
        self.calls = 0

    def multiply(self, _: Any, setting: Setting, operands: Any, **__: Any) -> Any:
        self.sent.append(operands)
        end = self.ends.get(setting)
        if isinstance(end, Exception):
            raise end
        if end is not None:
            return end
        A, B = (cut(one.copy()) if setting == ON else one for one in operands)
        return Answer((A @ B,), ("digest",), ())

    def prepare(self, *_: Any, **__: Any) -> dict[str, Any]:
        return {}

    def ask(self, *_: Any) -> dict[str, Any]:
        return {}

    def time(self, setting: Setting, counts: list[int], **_: Any) -> list[float]:
        self.calls += 1
        jitter = 1 + 1e-3 * (self.calls % 5)
        return [(1e-3 if setting == ON else 2e-3) * jitter * count for count in counts]


def sides(pool: Multiplying, backend: str = "cpu", gap: str | None = None) -> Sides:
    random = np.random.default_rng

    def arithmetic(problem: Any, setting: Setting) -> Arithmetic:
        return Arithmetic(11) if setting == ON else promise(problem.dtype)

    def drawn(one: Any, kept: Arithmetic) -> Any:
        return draw(one.problem, one.fill, kept.operand_bits, random(1))

    bench: Any = SimpleNamespace(
        backend=backend,
        pool=pool,
        config=SimpleNamespace(rounds=12),
        device=SimpleNamespace(memory_bytes=SimpleNamespace(value=1 << 30)),
        routes=SimpleNamespace(taken=lambda _, one: SimpleNamespace(path=f"path {one.tf32}")),
        gap=lambda _: gap,
        no_room=lambda _: None,
        limit=lambda *_: 1.0,
        peak_tflops=lambda _: None,
        arithmetic=arithmetic,
        drawn=drawn,
        operands=lambda one, kept: drawn(one, kept).sent,
        random=lambda *_: random(2),
    )
    return Sides(bench, bench, RunFacts(this=SIDE, other=SIDE, product="0", timed=1), OFF, NAMES[1])


def test_both_sides_get_the_same_numbers_and_each_is_held_to_its_own_promise() -> None:
    pool = Multiplying()
    found = compare(case(), sides(pool), NAMES)
    assert pool.sent[0] is pool.sent[1]
    assert found.numbers.verdicts == ("within", "within")
    on, off = found.numbers.errors
    assert on is not None
    assert off is not None
    assert on > 100 * off
    assert found.numbers.bits is not None
    assert found.numbers.bits.differing > 200
    assert found.routes == ("path on", "path off")
    assert isinstance(found.time, Paired)
    assert found.time.ratio == pytest.approx(0.5, rel=0.01)
    assert found.time.rounds == 12


@pytest.mark.parametrize(
    ("setting", "end", "said"),
    [
        (ON, Crashed("SIGSEGV", ""), Ended("crashed", "tf32=on: the worker ended with SIGSEGV")),
        (OFF, Crashed("SIGABRT", ""), Ended("crashed", "tf32=off: the worker ended with SIGABRT")),
        (
            OFF,
            Refusal("ValueError: no", "ValueError", sticky=False),
            Ended("raised", "tf32=off: ValueError: no"),
        ),
    ],
)
def test_the_side_that_gave_no_result_is_named(setting: Setting, end: Any, said: Ended) -> None:
    pool = Multiplying()
    pool.ends[setting] = end
    found = compare(case(), sides(pool), NAMES)
    assert found.time == said
    assert found.numbers.bits is None


def test_the_side_that_gave_no_time_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Multiplying()
    for setting, said in (
        (ON, Ended("raised", "tf32=on: no")),
        (OFF, Ended("not comparable", "tf32=off: raised: no")),
    ):

        def prepare(_: Any, one: Setting, *__: Any, stops: Setting = setting, **___: Any) -> Any:
            return Refusal("no", "ValueError", sticky=False) if one == stops else {}

        monkeypatch.setattr(pool, "prepare", prepare)
        found = compare(case(), sides(pool), NAMES)
        assert found.time == said
        assert found.numbers.bits is not None


def test_a_gap_is_no_measurement_and_an_emulated_device_has_numbers_alone() -> None:
    pool = Multiplying()
    found = compare(case(), sides(pool, gap="no such format"), NAMES)
    assert found.time == Ended("unsupported", "no such format")
    assert pool.sent == []
    found = compare(case(), sides(pool, "emulated"), NAMES)
    assert found.time == NO_TIMES
    assert found.numbers.verdicts == ("within", "within")
    assert pool.calls == 0


def test_large_products_are_compared_bit_for_bit_and_held_to_no_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pytest_applegpu.conduct.compare.product.AFFORDABLE", 0.0)
    found = compare(case(), sides(Multiplying()), NAMES)
    assert found.numbers.errors == (None, None)
    assert found.numbers.verdicts == ("", "")
    assert found.numbers.bits is not None
