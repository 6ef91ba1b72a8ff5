"""The interval of a median is what order statistics say, and holds as often as it claims."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_applegpu.throughput.interval import median_interval, relative_spread


@pytest.mark.parametrize(
    ("count", "rank"), [(6, 1), (7, 1), (12, 3), (16, 4), (39, 13), (40, 14), (101, 41)]
)
def test_the_ends_are_the_order_statistics_of_the_textbook(count: int, rank: int) -> None:
    """Ranks after David & Nagaraja, Order Statistics (3rd ed.), sec. 7.1."""
    samples = np.random.default_rng(count).permutation(np.arange(1.0, count + 1))
    assert median_interval(samples.tolist()) == (rank, count + 1 - rank)


def test_few_samples_give_their_extremes() -> None:
    assert median_interval([3.0, 1.0, 2.0]) == (1.0, 3.0)
    assert median_interval([4.0]) == (4.0, 4.0)


def test_the_interval_covers_the_median_of_a_skewed_distribution() -> None:
    rows = np.random.default_rng(1).exponential(size=(2000, 12))
    held = [low <= np.log(2) <= high for low, high in map(median_interval, rows.tolist())]
    assert 0.95 <= np.mean(held) <= 0.97  # 96.1 % for twelve samples


def test_no_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="no samples"):
        median_interval([])
    with pytest.raises(ValueError, match="median above 0"):
        relative_spread([])
    with pytest.raises(ValueError, match="median above 0"):
        relative_spread([0.0, 0.0])


def test_spread_agrees_with_the_standard_deviation_and_ignores_interrupts() -> None:
    samples = np.random.default_rng(2).normal(1.0, 0.05, 4001)
    assert relative_spread(samples.tolist()) == pytest.approx(0.05, rel=0.05)
    samples[:200] *= 30
    assert relative_spread(samples.tolist()) == pytest.approx(0.05, rel=0.15)


def test_equal_samples_do_not_scatter() -> None:
    assert relative_spread([2.0, 2.0, 2.0]) == 0
