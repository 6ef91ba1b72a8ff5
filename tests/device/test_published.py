"""Published figures are read with their source; rejected ones and others' chips are not shown."""

from __future__ import annotations

import pytest

from pytest_applegpu.device.chips import APPLE
from pytest_applegpu.device.published import beside, published


def test_each_has_a_chip_that_is_known_and_a_source() -> None:
    names = {chip.name for chip in APPLE}
    assert len(published()) >= 15
    for one in published():
        assert one.chip in names
        assert one.source
        assert not one.quality.startswith("REJECT")
        assert 0 < one.tflops < 70


def test_beside_the_same_chip_and_shape_only() -> None:
    found = beside("M5 Max", 40, "matmul", "float16", (4096, 4096, 4096))
    assert [one.tflops for one in found] == [58.196, 58.375]
    assert beside("M5 Max", 32, "matmul", "float16", (4096, 4096, 4096)) == []
    assert beside("M5 Max", 40, "matmul", "bfloat16", (4096, 4096, 4096)) == []


def test_a_time_becomes_a_rate() -> None:
    (one,) = beside("M5 Pro", 20, "matmul", "bfloat16", (1280, 1280, 1280))
    assert one.tflops == pytest.approx(2 * 1280**3 / 0.3108e-3 / 1e12)
