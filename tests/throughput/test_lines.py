"""One rate of false alarms, shared out; and ratios in words."""

from __future__ import annotations

import pytest

from pytest_applegpu.throughput.lines import Lines, allowed, change, share_of, unseen


def test_the_rate_is_shared_out_over_the_timed_cases() -> None:
    assert share_of(1) == Lines().alarms == 0.01
    assert share_of(100) == pytest.approx(1e-4)
    assert allowed(100) == pytest.approx(0.01)
    with pytest.raises(ValueError, match="start at 1"):
        share_of(0)


def test_a_change_in_words() -> None:
    assert change(1.3) == "1.30x slower"
    assert change(0.5) == "2.00x faster"
    assert change(0.9999) == "as fast"
    assert unseen(1.25) == "a slowdown under 1.250x could not have been seen"
