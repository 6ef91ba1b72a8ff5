"""Which side binds follows from the ridge; shares are of the roof; medians are of routes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.throughput.roof import Spot, best, by_route

FIGURES = st.floats(1e-3, 1e4)


def spot(intensity: float, tflops: float, route: str = "gemm") -> Spot:
    return Spot("a case", route, "float16", intensity, tflops, 10.0, 100.0, 8.0)


def test_the_ridge_tells_the_sides_apart() -> None:
    assert spot(99.0, 1.0).binds == "memory"
    assert spot(100.0, 1.0).binds == "arithmetic"
    assert Spot("a case", "gemm", "float16", 1.0, 1.0).binds is None


def test_shares_and_traffic() -> None:
    assert spot(500.0, 5.0).share == pytest.approx(0.5)
    assert spot(10.0, 0.5).share == pytest.approx(0.5)
    assert spot(10.0, 0.5).gbs == pytest.approx(50.0)


@given(FIGURES, FIGURES, FIGURES)
def test_the_roof_is_the_lesser_peak(intensity: float, tflops: float, gbs: float) -> None:
    reached = min(tflops, intensity * gbs / 1e3)
    one = Spot("a case", "gemm", "float16", intensity, reached, tflops, gbs)
    assert one.share == pytest.approx(1.0)


def test_medians_of_a_route_and_side() -> None:
    gemm, gemv = by_route([spot(200, 4), spot(200, 5), spot(200, 9), spot(1, 0.05, "gemv")])
    assert (gemm.route, gemm.binds, gemm.cases, gemm.tflops) == ("gemm", "arithmetic", 3, 5)
    assert gemm.share == pytest.approx(0.5)
    assert (gemv.binds, gemv.per_core) == ("memory", 8.0)
    assert gemv.gbs == pytest.approx(50.0)


def test_the_best_measured() -> None:
    tflops, gbs = best([spot(200, 4), spot(1, 0.08)], "float16")
    assert tflops == 4
    assert gbs == pytest.approx(80.0)
