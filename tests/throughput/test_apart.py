"""How far runs lie apart: what stored runs tell, what is usual, and which of the two counts."""

from __future__ import annotations

from dataclasses import replace
from math import inf, pi, sqrt

import numpy as np
import pytest

from pytest_applegpu.throughput.apart import (
    SHRINK,
    USUAL,
    Apart,
    Stored,
    apart_on,
    errors,
    known,
)
from pytest_applegpu.throughput.slope import Timing

BEFORE = Stored(1.0, 0.99, 1.01, spread=0.01, best=0.99, runs=10, between=0.02)


def now(spread: float = 0.01) -> Timing:
    return Timing(1.0, 0.99, 1.01, spread, 0.99, 0.0, 1, (1.0,) * 16)


def test_enough_stored_runs_speak_for_themselves() -> None:
    found = known(BEFORE, [now()], Apart(usual=0.5), 0.005)
    assert (found.between, found.freedom, found.seen) == (0.02, 9, True)
    assert found.limit == pytest.approx(3.2498, abs=1e-4)  # tables of Student's t
    assert found.quantile(0.025) == pytest.approx(2.2622, abs=1e-4)
    assert found.chance(2.2622) == pytest.approx(0.025, rel=1e-4)


def test_runs_that_agree_too_well_are_not_believed() -> None:
    assert known(replace(BEFORE, between=0.0), [now()], Apart(), 0.005).between == 0.003


@pytest.mark.parametrize("runs", [1, 4])
def test_too_few_runs_are_taken_to_lie_as_far_apart_as_is_usual(runs: int) -> None:
    found = known(replace(BEFORE, runs=runs), [now()], Apart(usual=0.05), 0.005)
    assert (found.between, found.freedom, found.seen) == (0.05, inf, False)
    assert found.limit == pytest.approx(2.5758, abs=1e-4)  # tables of the normal distribution
    assert found.chance(1.96) == pytest.approx(0.025, rel=1e-3)
    assert known(replace(BEFORE, runs=runs), [now(0.2)], Apart(), 0.005).between == 0.2


def test_few_runs_further_apart_than_is_usual_are_believed() -> None:
    found = known(replace(BEFORE, runs=2, between=0.4), [now()], Apart(usual=0.05), 0.005)
    assert (found.between, found.seen) == (0.4, True)


def test_a_cautious_figure_stands_beside_few_degrees_of_freedom() -> None:
    cpu = apart_on("cpu")
    few = replace(BEFORE, runs=5, between=0.2)
    assert known(few, [now()], cpu, 0.0005).freedom == inf
    assert known(few, [now()], replace(cpu, cautious=False), 0.0005).freedom == 4
    quiet = replace(BEFORE, runs=5, between=0.01)
    assert known(quiet, [now()], cpu, 0.0005).between == 0.01
    contradicted = replace(BEFORE, runs=20, between=0.4)
    assert known(contradicted, [now()], cpu, 0.0005).between == 0.4


def test_every_backend_has_a_figure_and_the_cpu_alone_a_cautious_one() -> None:
    for backend, usual in USUAL.items():
        assert apart_on(backend).usual == usual
        assert apart_on(backend).cautious == (backend == "cpu")


def test_errors_are_of_runs_or_of_scatter_where_that_is_more() -> None:
    scale = known(BEFORE, [now()], Apart(), 0.005)
    assert errors(BEFORE, [now()], scale) == pytest.approx(0.02 * sqrt(1 + 1 / 10))
    assert errors(BEFORE, [now()] * 2, scale) == pytest.approx(0.02 * sqrt(1 / 2 + 1 / 10))
    scattered = sqrt(pi / 2) * 0.4 / 4
    noisy = errors(BEFORE, [now(0.4)], scale)
    assert noisy == pytest.approx(sqrt(scattered**2 + 0.02**2 / 10))


@pytest.mark.parametrize("count", [1, 3, 4, 5])
def test_the_lower_median_scatters_as_order_statistics_say(count: int) -> None:
    drawn = np.random.default_rng(3).standard_normal((200_000, count))
    lower = np.sort(drawn, axis=1)[:, (count - 1) // 2]
    assert lower.var() == pytest.approx(SHRINK[count - 1], rel=0.02)


def test_a_stored_time_out_of_order_is_refused() -> None:
    with pytest.raises(ValueError, match="not a time within"):
        Stored(seconds=0.0, low=0.0, high=0.0, spread=0.0, best=0.0)
