"""Rates have the right units, and what cannot be true is refused with its figures."""

from __future__ import annotations

import pytest

from pytest_applegpu.throughput.roofline import rates, share, sound


def test_units() -> None:
    found = rates(2 * 1000**3, 3 * 1000**2 * 4, 1e-3)
    assert found.tflops == pytest.approx(2.0)
    assert found.gbs == pytest.approx(12.0)


def test_no_time_is_no_rate() -> None:
    with pytest.raises(ValueError, match=r"takes 0\.0 s"):
        rates(1, 1, 0.0)


def test_share_of_a_known_and_an_unknown_peak() -> None:
    assert share(5.0, 10.0) == pytest.approx(0.5)
    assert share(5.0, None) is None


def test_more_than_the_peak_is_unsound() -> None:
    assert sound(10.9, 10.0) is None
    assert sound(1e9, None) is None
    refused = sound(12.345, 10.0)
    assert refused is not None
    assert "12.35 TFLOP/s is 1.23 of the peak of 10 TFLOP/s" in refused.reason
