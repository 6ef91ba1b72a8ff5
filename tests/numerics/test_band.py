"""Do clean errors stay within the band, and is it sharp enough to be worth having?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.numerics.band import SUMS, calm, typical, typical_of_cut
from pytest_applegpu.numerics.bounds import Arithmetic, hard, limit, promise
from pytest_applegpu.numerics.check import judge
from pytest_applegpu.numerics.reference import magnitude, product
from tests.drawing import make
from tests.numerics.planted import cut
from tests.numerics.test_bounds import in_order

NAMES = list(DTYPES)
F32 = DTYPES["float32"]


def test_typical_growth_lies_below_the_limit_and_above_honest_errors() -> None:
    A, B = make("normal", F32, (64, 2048), (2048, 64), 24, np.random.default_rng(3))
    exact, size = product(A, B), magnitude(A, B)
    most = limit(promise(F32), F32, exact, size, 2048)
    soft = typical(promise(F32), F32, most, size, 2048)
    assert (soft < most / 4).all()
    assert (np.abs(in_order(A, B, F32) - exact) <= soft).all()


@settings(deadline=None)
@given(
    name=st.sampled_from(NAMES),
    k=st.integers(1, 10**6),
    bits=st.integers(8, 53),
    unit=st.sampled_from([2.0**-24, 2.0**-23, 2.0**-53]),
)
def test_the_band_is_never_above_the_limit(name: str, k: int, bits: int, unit: float) -> None:
    arithmetic = Arithmetic(bits, accumulator_unit=unit)
    most, soft = (factors(arithmetic, DTYPES[name], k) for factors in (hard, calm))
    assert soft.operand == most.operand
    assert soft.accumulate <= most.accumulate
    assert soft.reference <= most.reference


def test_a_truncating_accumulator_drifts_by_half_a_unit_a_step() -> None:
    truncating = replace(promise(F32), accumulator_unit=2.0**-23)
    assert not truncating.to_nearest
    steps = calm(truncating, F32, 10_000).accumulate / 2.0**-23
    assert steps == pytest.approx(5000 + SUMS * 100)
    assert calm(promise(F32), F32, 10_000).accumulate / 2.0**-24 == pytest.approx(SUMS * 100)


def test_where_nothing_is_finite_the_band_is_the_limit() -> None:
    most, size = np.array([np.inf, 1.0]), np.array([np.inf, 1.0])
    soft = typical(promise(F32), F32, most, size, 100)
    assert soft[0] == np.inf
    assert soft[1] < 1


@pytest.mark.parametrize("truncate", [False, True])
@pytest.mark.parametrize("fill", ["normal", "uniform", "spread", "large"])
@settings(max_examples=15, deadline=None)
@given(k=st.integers(1, 400), seed=st.integers(0, 2**32))
def test_cut_operands_stay_within_their_band(
    fill: str, k: int, seed: int, *, truncate: bool
) -> None:
    rng = np.random.default_rng(seed)
    said = Arithmetic(11, operand_truncates=truncate)
    A, B = make(fill, F32, (9, k), (k, 7), 11, rng, proven=False)
    got = cut(11, truncate=truncate)(A, B, F32)
    finding = judge("bounded", A, B, got, F32, said, rng)
    assert finding.verdict != "over"
    assert finding.typical is not None
    assert finding.typical <= 1


@pytest.mark.parametrize(("bits", "truncate"), [(8, False), (8, True), (9, True)])
def test_operands_cut_to_fewer_bits_creep_where_the_limit_does_not_see_them(
    bits: int, *, truncate: bool
) -> None:
    rng = np.random.default_rng(0)
    A, B = make("normal", F32, (64, 600), (600, 64), 11, rng)
    got = cut(bits, truncate=truncate)(A, B, F32)
    said = Arithmetic(11, operand_truncates=True)
    finding = judge("bounded", A, B, got, F32, said, rng)
    assert finding.share is not None
    assert finding.share < 1
    assert finding.verdict == "creeping"


def test_whole_operands_have_no_band_of_their_own() -> None:
    A, B = make("normal", F32, (5, 40), (40, 6), 24, np.random.default_rng(0))
    exact, size = product(A, B), magnitude(A, B)
    band = np.ones(exact.shape)
    assert typical_of_cut(promise(F32), F32, band, size, exact, (A, B)) is band


def test_the_band_of_cut_operands_is_never_above_that_of_sums() -> None:
    A, B = make("spread", F32, (5, 3), (3, 6), 11, np.random.default_rng(0))
    exact, size, said = product(A, B), magnitude(A, B), Arithmetic(11)
    band = typical(said, F32, limit(said, F32, exact, size, 3), size, 3)
    soft = typical_of_cut(said, F32, band, size, exact, (A, B))
    assert (soft <= band).all()
    assert (soft > 0).all()
