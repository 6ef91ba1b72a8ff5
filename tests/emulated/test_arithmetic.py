"""Rounding and adding up, against exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.emulated import arithmetic
from pytest_applegpu.emulated.arithmetic import chain, halving, in_turn, truncated
from pytest_applegpu.numerics import probe

SINGLE = st.floats(-(2.0**40), 2.0**40, width=32, allow_subnormal=False)
HALF = st.floats(-1000, 1000, width=16)


def nearest(exact: Fraction) -> np.float32:
    """Return the float32 nearest to `exact`."""
    guess = np.float32(float(exact))
    around = (
        guess,
        np.nextafter(guess, np.float32(-np.inf)),
        np.nextafter(guess, np.float32(np.inf)),
    )
    return min(around, key=lambda one: abs(Fraction(float(one)) - exact))


@given(st.lists(st.tuples(SINGLE, SINGLE), min_size=1, max_size=12))
def test_every_step_is_rounded_once(pairs: list[tuple[float, float]]) -> None:
    total = np.float32(0)
    for x, y in pairs:
        total = nearest(Fraction(x) * Fraction(y) + Fraction(float(total)))
    left, right = (np.array(one, np.float32)[:, None] for one in zip(*pairs, strict=True))
    assert chain(left, right, 24)[0] == total


@given(st.lists(st.tuples(HALF, HALF), min_size=1, max_size=12))
def test_products_of_few_bits_may_be_rounded_apart(pairs: list[tuple[float, float]]) -> None:
    left, right = (np.array(one, np.float32)[:, None] for one in zip(*pairs, strict=True))
    assert chain(left, right, 11)[0] == chain(left, right, 24)[0]


def test_products_out_of_range_are_not_rounded_apart() -> None:
    big = np.array([[2.0**100], [2.0**100]], np.float32)
    other = np.array([[-(2.0**27)], [2.0**28]], np.float32)
    assert chain(big, other, 8)[0] == 2.0**127


def test_not_fusing_is_seen() -> None:
    x = np.float32(1 + 2.0**-12)
    left, right = np.array([[-1.0], [x]], np.float32), np.array([[1.0], [x]], np.float32)
    assert chain(left, right, 24)[0] == 2.0**-11 + 2.0**-24


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.Generator(np.random.Philox(3))
    left = random.standard_normal((9, 3, 7, 1)).astype(np.float32)
    right = random.standard_normal((9, 1, 1, 5)).astype(np.float32)
    whole = chain(left, right, 24)
    monkeypatch.setattr(arithmetic, "BLOCK", 4)
    np.testing.assert_array_equal(chain(left, right, 24), whole)


def test_truncation_is_what_the_probe_calls_so() -> None:
    values, _ = probe.operands()
    assert probe.read(values, truncated(values, 11)) == probe.Precision(11, "truncated")


def test_truncation_leaves_what_is_not_finite() -> None:
    nan = np.array([0x7F800001], np.uint32).view(np.float32)
    values = np.array([np.inf, -np.inf, *nan], np.float32)
    np.testing.assert_array_equal(truncated(values, 11), values)


def test_halving_pairs_lanes_half_their_number_apart() -> None:
    lanes = np.array([2.0**24, 1, -(2.0**24), 1], np.float32)
    assert halving(lanes) == 2.0
    # Of neighbours added first, 2**24 + 1 would lose the 1 that 1 - 2**24 keeps.
    assert halving(lanes[[0, 2, 1, 3]]) == 1.0


def test_in_turn_begins_at_the_first() -> None:
    sums = np.array([[2.0**24, 1, 1], [1, 1, 2.0**24]], np.float32)
    assert in_turn(sums).tolist() == [2.0**24, 2.0**24 + 2]
