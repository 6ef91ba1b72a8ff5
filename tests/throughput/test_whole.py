"""A pass is the sum of its products: its times, its shares, and how sure its ratio is."""

from __future__ import annotations

from math import exp, hypot, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.throughput.paired import BETWEEN, Z95, Paired
from pytest_applegpu.throughput.whole import whole


def compared(ratio: float, other_seconds: float, half: float = 0.05) -> Paired:
    """Return a ratio known to `half`, in logarithms, of which processes are a part."""
    low, high = ratio * exp(-half), ratio * exp(half)
    return Paired(ratio, low, high, half / Z95, 0.01, 0.5, 0.5, 7.0, other_seconds, 4, 40)


products = st.lists(
    st.tuples(
        st.integers(1, 100),
        st.builds(compared, st.floats(0.1, 10), st.floats(1e-6, 1), st.floats(0.0216, 0.5)),
    ),
    min_size=1,
    max_size=8,
)


def test_times_add_up_by_count_and_keep_the_paired_ratios() -> None:
    found = whole([(3, compared(0.5, 2e-3)), (1, compared(2.0, 1e-3))])
    # 3 x 2 ms + 1 ms on the other side; half of the 6 ms, and twice the 1 ms, on this one.
    assert found.other_seconds == pytest.approx(7e-3)
    assert found.seconds == pytest.approx(5e-3)
    assert found.ratio == pytest.approx(5 / 7)
    assert found.shares == pytest.approx((3 / 5, 2 / 5))
    assert found.other_shares == pytest.approx((6 / 7, 1 / 7))


def test_what_processes_differ_by_is_common_and_what_rounds_scatter_by_is_not() -> None:
    common, own = Z95 * BETWEEN, 0.1
    one = compared(0.5, 1e-3, hypot(common, own))
    found = whole([(2, one)] * 4)
    half = hypot(common, own / sqrt(4))
    assert log(found.high / found.ratio) == pytest.approx(half)
    assert log(found.ratio / found.low) == pytest.approx(half)


@given(products)
def test_one_product_is_its_own_pass_and_several_lie_between(
    found: list[tuple[int, Paired]],
) -> None:
    count, first = found[0]
    alone = whole([(count, first)])
    assert (alone.ratio, alone.low, alone.high) == pytest.approx(
        (first.ratio, first.low, first.high)
    )
    together = whole(found)
    ratios = [one.ratio for _, one in found]
    assert min(ratios) * (1 - 1e-9) <= together.ratio <= max(ratios) * (1 + 1e-9)
    assert together.low < together.ratio < together.high
    assert sum(together.shares) == pytest.approx(1)
    assert sum(together.other_shares) == pytest.approx(1)


@pytest.mark.parametrize("wrong", [[], [(0, compared(1.0, 1.0))]])
def test_no_products_are_no_pass(wrong: list[tuple[int, Paired]]) -> None:
    with pytest.raises(ValueError, match="at least once"):
        whole(wrong)
