"""What is kept of an operand, and whether products are exact, is read off known arithmetics."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.card import operands, products
from pytest_applegpu.numerics.card.modes import AWAY, EVEN, MODES, ZERO, round_on
from tests.numerics.arithmetics import Arithmetic, ask, exactly, halves, lanes, rounded

F32 = DTYPES["float32"]


@given(
    st.floats(min_value=2.0**-500, max_value=2.0**500),
    st.integers(2, 52),
    st.sampled_from((EVEN, AWAY, ZERO)),
    st.sampled_from((-1.0, 1.0)),
)
def test_cutting_is_rounding_to_that_many_bits(
    size: float, bits: int, mode: str, sign: float
) -> None:
    value = sign * size
    cut = operands.cut(np.array([value]), bits, mode)[0]
    assert Fraction(float(cut)) == rounded(Fraction(value), bits, mode)


@given(st.fractions(), st.fractions(min_value=Fraction(1, 1000), max_value=1000))
def test_modes_take_one_of_both_neighbours(value: Fraction, unit: Fraction) -> None:
    found = {mode: round_on(value, unit, mode) for mode in MODES}
    assert all(abs(one - value) < unit and one % unit == 0 for one in found.values())
    assert all(abs(found[mode] - value) <= unit / 2 for mode in (EVEN, AWAY))
    assert abs(found[ZERO]) <= abs(value)
    assert found["downward"] <= value <= found["upward"]


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_values_tell_all_bits_and_roundings_apart(dtype: DType) -> None:
    sent = operands.values(dtype)
    came = [
        operands.cut(sent, bits, mode).tobytes()
        for bits in range(2, dtype.significand)
        for mode in (EVEN, AWAY, ZERO)
    ]
    assert len(set(came)) == len(came)
    assert sent.tobytes() not in came


@pytest.mark.parametrize("mode", [EVEN, AWAY, ZERO])
@pytest.mark.parametrize("bits", [8, 11, 16])
def test_cut_operands(bits: int, mode: str) -> None:
    machine = Arithmetic(operand_bits=bits, operand_mode=mode)
    for side in "AB":
        kept = operands.operand(ask(machine, m=3, n=20), side)
        assert (kept.bits, kept.feature.word) == (bits, f"{bits} bits, {mode}")


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
@pytest.mark.parametrize(("m", "n"), [(1, 16), (16, 1), (1, 1), (4, 3)])
def test_whole_operands_on_every_shape(dtype: DType, m: int, n: int) -> None:
    bits = dtype.significand
    machine = Arithmetic(dtype, bits=max(24, bits), three=True)
    for side in "AB":
        kept = operands.operand(ask(machine, m=m, n=n), side)
        assert (kept.bits, kept.feature.word) == (bits, f"{bits} bits")


def test_one_side_may_be_cut_alone() -> None:
    sent = operands.values(F32)
    assert operands.read("operand A", F32, sent, operands.cut(sent, 11, ZERO)).bits == 11


@pytest.mark.parametrize("wrong", [0.0, np.nan, 1.0])
def test_what_no_rounding_gives_is_unknown(wrong: float) -> None:
    sent = operands.values(F32)
    got = operands.cut(sent, 11, EVEN)
    got[7] = wrong
    kept = operands.read("operand B", F32, sent, got)
    assert (kept.bits, kept.feature.word) == (0, "unknown")
    assert float(sent[7]).hex() in kept.feature.evidence


@pytest.mark.parametrize(
    ("machine", "bits", "word"),
    [
        (Arithmetic(), 24, "exact, rounded with the sum"),
        (Arithmetic(order=lanes), 24, "exact, rounded with the sum"),
        (Arithmetic(order=exactly(8)), 24, "exact, rounded with the sum"),
        (Arithmetic(product_bits=24), 24, "rounded to 24 bits"),
        # Terms of a tree are rounded before they meet anything.
        (Arithmetic(order=halves), 24, "rounded to 24 bits"),
        (Arithmetic(operand_bits=11, operand_mode=ZERO), 11, "exact"),
        (Arithmetic(operand_bits=11, operand_mode=ZERO, product_bits=11), 11, "rounded to 11 bits"),
        (Arithmetic(bits=53), 24, "exact"),
        (Arithmetic(product_bits=30, bits=53), 24, "unknown"),
        (Arithmetic(DTYPES["float16"]), 11, "exact"),
        (Arithmetic(DTYPES["float16"], product_bits=11), 11, "rounded to 11 bits"),
        (Arithmetic(DTYPES["float16"], bits=11), 11, "exact, rounded with the sum"),
        (Arithmetic(DTYPES["bfloat16"]), 8, "exact"),
        (Arithmetic(DTYPES["float64"], bits=53), 53, "exact, rounded with the sum"),
        (Arithmetic(DTYPES["float64"], bits=53, product_bits=53), 53, "rounded to 53 bits"),
        (Arithmetic(DTYPES["complex64"], three=True), 24, "exact, rounded with the sum"),
    ],
)
def test_products(machine: Arithmetic, bits: int, word: str) -> None:
    assert products.products(ask(machine), bits).word == word


@given(st.integers(4, 53), st.integers(0, 4))
def test_factors_fit_and_leave_exact_rests(bits: int, shift: int) -> None:
    x, y, head, rest = products.factors(bits, shift)
    for one, top, left in zip(y, head, rest, strict=True):
        assert Fraction(x) * Fraction(float(one)) == Fraction(float(top)) + Fraction(float(left))
        assert left != 0
        assert all(rounded(Fraction(float(n)), bits, ZERO) == n for n in (one, top, left))
