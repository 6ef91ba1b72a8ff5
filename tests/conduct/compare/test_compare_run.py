"""A comparison as a whole: what makes it complete, and what is never forced on a GPU."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_applegpu.conduct.compare import run
from pytest_applegpu.conduct.compare.product import Compared, Numbers
from pytest_applegpu.conduct.compare.toggle import Toggle
from pytest_applegpu.conduct.speed import Ended
from pytest_applegpu.conduct.versus.sides import Sides
from pytest_applegpu.report.versus_records import RunFacts, SideFacts
from pytest_applegpu.setting import Setting
from tests.conduct.compare.made_comparison import (
    GEMM,
    GEMV,
    NAX,
    PACKED,
    bench,
    case,
    comparison,
    model,
    product,
    time,
)

SIDE = SideFacts(mlx="0.32.4", python="3.12.1", numpy="2.4.6")


@pytest.mark.parametrize(
    ("found", "complete"),
    [
        (product(GEMM, time(0.5, 1e-3)), True),
        (product(GEMM, Ended("unsupported", "no room")), True),
        (product(GEMM, time(0.5, 1e-3), doubt="spread 40 %"), True),
        (product(GEMM, Ended("unstable", "the clock said 0 s for a submission")), False),
        (product(GEMM, Ended("not comparable", "nax=off: raised: no")), False),
        (product(GEMM, Ended("crashed", "nax=on: SIGSEGV")), False),
        (product(GEMM, time(0.5, 1e-3), numbers=Numbers(verdicts=("within", "over"))), False),
    ],
)
def test_a_comparison_is_complete_where_all_that_can_be_has_a_time_and_is_right(
    found: Compared, complete: bool
) -> None:
    assert comparison(product(GEMV, time(1.0, 1e-3)), found).complete is complete


def test_an_architecture_with_nax_is_never_forced_on_a_gpu_without() -> None:
    forced = Toggle("arch", ("own", "applegpu_g17s"), (Setting(), Setting(arch="applegpu_g17s")))
    with pytest.raises(pytest.UsageError, match="arch=applegpu_g17s: M5 Max has no NAX"):
        run.conduct(bench(own="applegpu_g16s", nax="no"), forced, [case(GEMM)], [])


def test_each_product_is_measured_once_and_stands_in_every_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured: list[str] = []

    def measure(one: Any, sides: Sides, names: tuple[str, str]) -> Compared:
        assert (sides.setting, sides.name, names) == (Setting(nax="off"), "nax=off", NAX.names)
        measured.append(str(one.problem))
        return product(str(one.problem), time(0.5, 1e-3))

    def held(here: Any, _: Setting, other: Setting, timed: int, name: str) -> Sides:
        assert timed == 3
        facts = RunFacts(this=SIDE, other=SIDE, product="0", timed=timed)
        return Sides(here, here, facts, other, name)

    monkeypatch.setattr(run, "compare", measure)
    monkeypatch.setattr(run, "two_settings", held)
    here = bench()
    here.device.mlx_version = "0.32.4"
    told: list[str] = []
    found = run.conduct(here, NAX, [case(GEMM)], [model(), model()], told.append)
    packed = str(case(PACKED).problem)
    assert measured == [GEMM, packed, GEMV]
    assert [len(one.timed) for one in found.passes] == [2, 1, 2, 1]
    assert found.device == "M5 Max, MLX 0.32.4"
    assert told[-1] == f"3 of 3 compared: {GEMV}"
