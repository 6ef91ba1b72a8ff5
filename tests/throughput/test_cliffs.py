"""Cliffs are found with their sizes, routes and factors; noise and drift make none."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.throughput.cliffs import FLOOR, Point, cliffs, intervals, slower_than

FAT = 1 << 30


def point(size: int, seconds: float, width: float = 0.01, route: str = "gemm") -> Point:
    """A size where arithmetic binds."""
    low, high = seconds / (1 + width), seconds * (1 + width)
    return Point(size, seconds, low, high, route, FAT * size, size)


def lean(size: int, seconds: float) -> Point:
    """A size where memory binds: the operands of one large matrix, whatever the size."""
    return Point(size, seconds, 0.99 * seconds, 1.01 * seconds, "gemv", 2 * size, 1 << 20)


def passes(time: Callable[[int], float], sizes: int, seed: int, noise: float) -> list[list[float]]:
    """Seven passes over sizes 1 to `sizes`, each with noise and a drift of its own."""
    random = Random(seed)  # noqa: S311 - nothing is secret
    drifts = [exp(random.gauss(0, 3 * noise)) for _ in range(7)]
    return [
        [time(size) * drift * exp(random.gauss(0, noise)) for size in range(1, sizes + 1)]
        for drift in drifts
    ]


def swept(time: Callable[[int], float], seed: int, noise: float, sizes: int = 64) -> list[Point]:
    found = intervals(passes(time, sizes, seed, noise))
    return [Point(n, *one, "", FAT * n, n) for n, one in enumerate(found, 1)]


@given(st.integers(0, 2**32), st.sampled_from([0.002, 0.02, 0.2]))
def test_noise_and_drift_make_no_cliff(seed: int, noise: float) -> None:
    assert cliffs(swept(lambda size: 1e-3 + 1e-5 * size, seed, noise)) == []


@given(st.integers(0, 2**32), st.floats(1.5, 5.0))
def test_a_planted_fall_is_found_where_it_is_with_its_factor(seed: int, factor: float) -> None:
    (one,) = cliffs(swept(lambda size: 1e-3 / (factor if size > 40 else 1), seed, 0.005))
    assert one.kind == "larger is faster"
    # One size in twenty sweeps may lie outside its interval, and shift the place by some.
    assert 30 <= one.sizes[0] <= 40 < one.sizes[1] <= 51
    assert one.low <= factor <= one.high


@given(st.lists(st.floats(1e-6, 1.0), min_size=2, max_size=30), st.floats(0.0, 0.5))
def test_what_is_reported_lies_beyond_both_intervals(times: list[float], width: float) -> None:
    points = [point(n, time, width) for n, time in enumerate(times, 1)]
    for one in cliffs(points):
        assert one.low > FLOOR * (1 - 1e-9)
        assert one.low <= one.factor <= one.high
        assert one.sizes[0] < one.sizes[1]


@given(st.lists(st.floats(1.0, 1.9), min_size=1, max_size=30))
def test_times_that_rise_with_the_work_have_no_cliff(shares: list[float]) -> None:
    points = [point(1, 1e-3)]
    for size, share in enumerate(shares, 2):
        grown = 1 + (size / (size - 1) - 1) * min(share - 0.9, 1.0)
        points.append(point(size, points[-1].seconds * grown))
    assert cliffs(points) == []


def test_a_larger_problem_that_is_faster_names_both_routes() -> None:
    slow = [point(size, 2e-3, route="splitk") for size in (96, 128)]
    (one,) = cliffs([point(64, 1e-3), *slow, point(160, 1.2e-3, route="nax")])[-1:]
    assert one.kind == "larger is faster"
    assert one.sizes == (128, 160)
    assert one.routes == ("splitk", "nax")
    assert one.factor == pytest.approx(2 / 1.2)


def test_a_row_that_costs_more_than_the_rows_before() -> None:
    (one,) = cliffs([point(32, 1e-3), point(33, 2e-3)])
    assert (one.kind, one.sizes) == ("cost of a row jumps", (32, 33))
    assert one.factor == pytest.approx(2 * 32 / 33)


def test_bandwidth_that_falls_from_one_row_to_two() -> None:
    # mlx issue 3661: 161 GB/s at M = 1, 56 GB/s at M = 2, and no lower from there on.
    (one,) = cliffs([lean(1, 1 / 161), lean(2, 1 / 56), lean(3, 1 / 56)])
    assert (one.kind, one.sizes) == ("bandwidth falls", (1, 2))
    assert one.factor == pytest.approx(161 / 56)


def test_two_falls_are_told_apart() -> None:
    times = [1, 2, 1.2, 1.25, 1.3, 3, 2]
    points = [point(100 + n, time) for n, time in enumerate(times)]
    falls = [one.sizes for one in cliffs(points) if one.kind == "larger is faster"]
    assert falls == [(101, 102), (105, 106)]


def test_quantized_slower_than_dense_is_one_run_with_its_worst_size() -> None:
    # mlx issue 3584: at M = 96 and 128 only, by 1.6 to 1.8.
    quantized = [point(m, t, route="qmm") for m, t in ((64, 0.9), (96, 1.6), (128, 1.8), (160, 1))]
    dense = {m: point(m, 1.0) for m in (64, 96, 128, 160)}
    (one,) = slower_than(quantized, dense)
    assert (one.sizes, one.until) == ((96, 128), 128)
    assert one.routes == ("qmm", "gemm")
    assert one.factor == pytest.approx(1.8)


def test_one_wild_pass_widens_the_interval_of_its_size() -> None:
    taken = passes(lambda _: 1e-3, 20, 1, 0.002)
    taken[3][7] *= 40
    found = intervals(taken)
    assert found[7][2] / found[7][1] > 10 * found[8][2] / found[8][1]
    assert found[7][0] == pytest.approx(found[8][0], rel=0.02)


@pytest.mark.parametrize(
    ("taken", "said"),
    [([[1.0]] * 2, "3 passes"), ([[1.0], [1.0], [1.0, 2.0]], "same sizes"), ([[0.0]] * 3, "above")],
)
def test_passes_that_are_none(taken: list[list[float]], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        intervals(taken)


def test_sizes_have_to_rise_and_times_to_be_times() -> None:
    with pytest.raises(ValueError, match="rise"):
        cliffs([point(2, 1.0), point(2, 1.0)])
    with pytest.raises(ValueError, match="size 1"):
        Point(1, 1.0, 2.0, 3.0)
