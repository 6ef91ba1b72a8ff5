"""Rules along a size: the simplest that agrees, and the sizes that would speak against it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.cases.shrinking.extent import Extent, edge, fitted, probes, refuting
from pytest_applegpu.cases.shrinking.saying import sentence


def seen(failing: tuple[int, ...], right: tuple[int, ...]) -> dict[int, bool]:
    return dict.fromkeys(failing, True) | dict.fromkeys(right, False)


@pytest.mark.parametrize(
    ("failing", "right", "rule"),
    [
        ((1, 2, 64), (), Extent()),
        ((4097, 5000), (1, 4096), Extent(first=4097)),
        ((1, 8), (9, 16), Extent(last=8)),
        ((33,), (32, 34), Extent(33, 33)),
        ((1, 63, 65, 96, 127), (64, 128), Extent(period=64, outside=True)),
        ((24, 72, 48), (12, 25), Extent(period=24)),
        ((5, 29, 77, 53), (1, 4, 6), Extent(period=24, residue=5)),
        ((65, 66, 127, 96), (1, 32, 64, 128, 192), Extent(65, None, 64, 0, outside=True)),
        ((4, 5), (2, 3, 6, 7), Extent(4, 5)),
        ((1, 2, 4, 8), (3, 5, 6, 7, 9), None),
        ((), (1, 2), None),
    ],
)
def test_the_simplest_rule_that_agrees(
    failing: tuple[int, ...], right: tuple[int, ...], rule: Extent | None
) -> None:
    assert fitted(seen(failing, right)) == rule


@given(st.dictionaries(st.integers(1, 300), st.booleans()))
def test_a_rule_agrees_with_all_that_was_seen(tried: dict[int, bool]) -> None:
    rule = fitted(tried)
    if rule is not None:
        assert {size: rule.holds(size) for size in tried} == tried


def test_a_period_is_put_to_every_smaller_one_and_to_further_multiples() -> None:
    tried = seen((1, 63, 65), (64, 128))
    rule = Extent(period=64, outside=True)
    asked = refuting(rule, tried)
    assert {96, 192, 256, 384} <= set(asked)
    assert not set(asked) & set(tried)


def test_a_period_that_is_too_large_does_not_stand() -> None:
    tried = seen((48, 240), (1, 12, 100))
    rule = fitted(tried)
    assert rule == Extent(period=48)
    assert any(size % 24 == 0 and size % 48 for size in refuting(rule, tried))


def test_an_end_is_put_to_sizes_that_come_again() -> None:
    assert 5 + 24 in refuting(Extent(5, 5), seen((5,), (4, 6)))
    assert 1 + 24 in refuting(Extent(last=1), seen((1,), (2,)))


def test_probes_lie_round_both_cases_and_at_tiles() -> None:
    asked = probes(4097, 5000)
    assert {4096, 4098, 5000, 4999, 5001, 64, 128, 8192} <= set(asked)
    assert min(probes(1, 1)) == 1


def test_an_edge_is_where_a_fault_begins_or_a_tile_ends() -> None:
    assert edge(Extent(first=3), seen((3, 4), (1, 2))) == (2, 3)
    ragged = seen((63, 65, 127, 129), (64, 128))
    assert edge(Extent(period=64, outside=True), ragged) == (64, 65)
    assert edge(Extent(first=9), seen((9,), (1,))) is None


def test_a_gap_beside_an_edge_is_not_passed_over() -> None:
    said = sentence("K", Extent(first=10), seen((10, 12), (4,)))
    assert said == "fails from K = 10 on, right at K = 4 (tried from K = 4 to 12)"


def test_a_range_has_both_ends() -> None:
    said = sentence("K", Extent(4, 5), seen((4, 5), (3, 6)))
    assert said.startswith("fails from K = 4 on, right at K = 3, fails up to K = 5, right at K = 6")
