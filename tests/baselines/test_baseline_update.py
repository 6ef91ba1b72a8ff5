"""A merge adds, counts repeats, replaces, and never deletes; every change is listed."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pytest_applegpu.baselines.records import (
    Baseline,
    BaselineError,
    Numbers,
    Part,
    Record,
    Run,
    Speed,
    run_id,
)
from pytest_applegpu.baselines.repeat import pooled
from pytest_applegpu.baselines.store import read
from pytest_applegpu.baselines.update import gather, merge, numbers_of, speed_of, write
from pytest_applegpu.throughput.roofline import rates
from pytest_applegpu.throughput.slope import METHOD, Timing
from tests.baselines.samples import (
    BASELINE,
    CARD,
    CASE,
    HARDWARE,
    KEY,
    NUMBERS,
    OTHER,
    RUN,
    SPEED,
    baselines,
    speeds,
)

NEXT_DAY = replace(RUN, date=dt.date(2026, 11, 4))
NEXT_MLX = replace(NEXT_DAY, mlx="0.33.0", nax="yes")


def _one(run: Run, part: Part, case: str = CASE) -> Baseline:
    return gather(KEY, HARDWARE, [(case, run, replace(part, run=run_id(run)))])


def _speed(baseline: Baseline, case: str = CASE) -> Speed:
    found = baseline.cases[case].speed
    assert found is not None
    return found


def test_the_first_run_adds_everything(tmp_path: Path) -> None:
    changes = write(tmp_path, BASELINE)
    assert {(change.case, change.kind) for change in changes} == {
        (CASE, "added"),
        (OTHER, "added"),
    }
    assert str(changes[-1]) == f"{OTHER}: speed added: 0.0025 s"
    assert read(tmp_path / f"{KEY}.json") == BASELINE


def test_measurements_become_parts() -> None:
    timing = Timing(2e-3, 1.9e-3, 2.1e-3, 0.05, 1.9e-3, 1e-4, 4, (2e-3, 2.1e-3), dropped=1)
    speed = speed_of(timing, rates(10**9, 10**7, 2e-3), RUN, METHOD)
    numbers = numbers_of("exact", 0.0, float("inf"), None, RUN)
    assert (numbers.share, numbers.ulp, numbers.relative) == (0.0, None, None)
    found = gather(KEY, HARDWARE, [(CASE, RUN, numbers), (CASE, RUN, speed)])
    assert found.cases[CASE] == Record(numbers, speed)
    assert found.runs == {run_id(RUN): RUN}
    assert (speed.repeats, speed.runs, speed.between) == (3, 1, None)
    assert speed.tflops == pytest.approx(0.5)
    assert speed.gbs == pytest.approx(5.0)


def test_speed_alone_leaves_the_numbers_and_the_reverse() -> None:
    merged, _ = merge(BASELINE, _one(NEXT_MLX, SPEED))
    assert merged.cases[CASE].numbers == NUMBERS
    assert _speed(merged).run == run_id(NEXT_MLX)
    merged, _ = merge(BASELINE, _one(NEXT_MLX, replace(NUMBERS, verdict="exact")))
    assert merged.cases[CASE].speed == SPEED
    assert merged.runs.keys() == {run_id(RUN), run_id(NEXT_MLX)}


def test_equal_numbers_stay_as_they_are() -> None:
    merged, changes = merge(BASELINE, _one(NEXT_MLX, NUMBERS))
    assert changes == ()
    assert merged == BASELINE


def test_numbers_equal_in_the_digits_kept_are_equal(tmp_path: Path) -> None:
    exact = _one(RUN, replace(NUMBERS, relative=1.23456789e-4))
    write(tmp_path, exact)
    assert write(tmp_path, exact) == ()


def test_a_figure_that_cannot_be_kept_is_refused_by_file_and_case(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match=r'20c\.json: not written: \$\.cases\["matmul-f16'):
        write(tmp_path, _one(RUN, replace(NUMBERS, ulp=float("nan"))))
    assert list(tmp_path.iterdir()) == []


def test_other_numbers_are_replaced_and_listed() -> None:
    worse = Numbers(run_id(NEXT_MLX), "creeping", 0.9, 4.0, 1e-3)
    merged, changes = merge(BASELINE, _one(NEXT_MLX, worse))
    assert merged.cases[CASE].numbers == worse
    assert [str(change) for change in changes] == [
        f"{CASE}: numbers replaced: within at 0.31 of the bound -> creeping at 0.9 of the bound"
    ]


def test_an_agreeing_repeat_counts_and_measures_the_spread_between_runs() -> None:
    again = replace(SPEED, seconds=2.6e-3, high=2.7e-3)
    merged, changes = merge(BASELINE, _one(NEXT_DAY, again))
    speed = _speed(merged)
    assert [change.kind for change in changes] == ["repeated"]
    assert (speed.runs, speed.run) == (2, run_id(NEXT_DAY))
    assert speed.seconds == pytest.approx((2.5e-3 * 2.6e-3) ** 0.5)
    assert speed.between == pytest.approx(np.std(np.log([2.5e-3, 2.6e-3]), ddof=1))
    assert speed.low < speed.seconds < speed.high


def test_many_repeats_pool_to_the_mean_and_deviation_of_all() -> None:
    seconds = 2.5e-3 * np.random.default_rng(3).lognormal(sigma=0.03, size=9)
    merged: Baseline | None = None
    for one in seconds.tolist():
        scale = one / SPEED.seconds
        run = replace(SPEED, seconds=one, low=SPEED.low * scale, high=SPEED.high * scale)
        merged, _ = merge(merged, _one(RUN, run))
    assert merged is not None
    speed = _speed(merged)
    assert speed.runs == 9
    assert speed.seconds == pytest.approx(np.exp(np.log(seconds).mean()))
    assert speed.between == pytest.approx(np.log(seconds).std(ddof=1))


@given(st.tuples(speeds(RUN), speeds(RUN)))
def test_any_two_pool_to_a_time_within_its_interval(both: tuple[Speed, Speed]) -> None:
    found = pooled(*both)
    assert found.low <= found.seconds <= found.high
    assert found.runs == both[0].runs + both[1].runs
    assert found.between is not None
    assert found.between >= 0


def test_two_pools_merge_as_if_measured_one_by_one() -> None:
    known = replace(SPEED, runs=3, between=0.02)
    mine, _ = merge(BASELINE, _one(RUN, SPEED))
    merged, _ = merge(mine, _one(RUN, known))
    assert _speed(merged).runs == 5
    # Degrees of freedom 1 and 2, no distance between the means: 2 * 0.02**2 over 4.
    assert _speed(merged).between == pytest.approx((2 * 0.02**2 / 4) ** 0.5)


@pytest.mark.parametrize(
    ("run", "part"),
    [
        (NEXT_MLX, SPEED),
        (NEXT_DAY, replace(SPEED, seconds=4e-3, high=4.1e-3)),
    ],
)
def test_other_provenance_or_another_figure_replaces_but_keeps_the_spread(
    run: Run, part: Speed
) -> None:
    known = replace(SPEED, runs=6, between=0.03)
    merged, changes = merge(_one(RUN, known), _one(run, part))
    assert [change.kind for change in changes] == ["replaced"]
    speed = _speed(merged)
    assert (speed.runs, speed.between, speed.seconds) == (1, 0.03, part.seconds)
    again, _ = merge(merged, _one(run, part))
    assert _speed(again).between == pytest.approx((0.03**2 / 2) ** 0.5)


def test_another_way_of_measuring_replaces_all() -> None:
    known = replace(SPEED, runs=6, between=0.03, method="old")
    merged, changes = merge(_one(RUN, known), _one(RUN, SPEED))
    assert [change.kind for change in changes] == ["replaced"]
    assert _speed(merged) == SPEED


def test_runs_that_nothing_names_go() -> None:
    merged, _ = merge(_one(RUN, SPEED), _one(NEXT_MLX, SPEED))
    assert merged.runs == {run_id(NEXT_MLX): NEXT_MLX}


@given(baselines(), baselines())
def test_no_merge_deletes(old: Baseline, new: Baseline) -> None:
    new = replace(new, hardware=old.hardware)
    merged, changes = merge(old, new)
    assert merged.cases.keys() == old.cases.keys() | new.cases.keys()
    for case, record in old.cases.items():
        assert (merged.cases[case].numbers is None) <= (record.numbers is None)
        assert (merged.cases[case].speed is None) <= (record.speed is None)
        if case not in new.cases:
            assert merged.cases[case] == record
    assert {change.case for change in changes} <= new.cases.keys()


@pytest.mark.parametrize(
    "other",
    [
        replace(BASELINE, key="metal-m4-pro-16c"),
        replace(BASELINE, hardware=replace(HARDWARE, gpu_cores=16)),
    ],
)
def test_other_hardware_is_refused_in_one_line(other: Baseline) -> None:
    with pytest.raises(BaselineError, match=r"metal-m4-pro-20c \(metal, Apple M4 Pro, 20 GPU"):
        merge(BASELINE, other)


def test_a_refused_merge_names_the_file(stored: Path) -> None:
    other = replace(BASELINE, hardware=replace(HARDWARE, gpu_cores=16))
    with pytest.raises(BaselineError, match=r"20c\.json: not written: \$\.hardware"):
        write(stored.parent, other)
    assert read(stored) == BASELINE


ASKED = "matmul-f16-nn-64x64x64 check=card tf32=off"


def test_cards_are_added_kept_where_equal_and_replaced_feature_by_feature(tmp_path: Path) -> None:
    (added,) = write(tmp_path, _one(RUN, CARD, ASKED))
    assert str(added) == f"{ASKED}: card added: 2 features"
    assert write(tmp_path, _one(NEXT_MLX, CARD, ASKED)) == ()
    other = replace(CARD, features={"operand A": "11 bits, truncated", "products": "exact"})
    (changed,) = write(tmp_path, _one(NEXT_MLX, other, ASKED))
    assert str(changed) == f"{ASKED}: card replaced: operand A: 24 bits -> 11 bits, truncated"
    held = read(tmp_path / f"{KEY}.json").cases[ASKED].card
    assert held is not None
    assert (held.features, held.run) == (other.features, run_id(NEXT_MLX))


def test_a_card_leaves_numbers_and_speed_as_they_are() -> None:
    merged, _ = merge(BASELINE, _one(NEXT_DAY, CARD))
    assert (merged.cases[CASE].numbers, merged.cases[CASE].speed) == (NUMBERS, SPEED)
    assert merged.cases[CASE].card is not None
