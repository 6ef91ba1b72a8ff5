"""How sums are held, rounded and fused is read off known arithmetics, in any order of terms."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.card import fused, results, steps
from pytest_applegpu.numerics.card.accumulator import width
from pytest_applegpu.numerics.card.losses import losses
from pytest_applegpu.numerics.card.modes import AWAY, DOWN, EVEN, MODES, UP, ZERO
from tests.numerics.arithmetics import (
    Arithmetic,
    Order,
    aligned,
    ask,
    blocks_of_four,
    chain,
    exactly,
    halves,
    lanes,
    long,
    reverse,
)

HALF, BRAIN, DOUBLE = (DTYPES[name] for name in ("float16", "bfloat16", "float64"))


def found(machine: Arithmetic, m: int = 1, n: int = 16) -> tuple[str, ...]:
    """Return the words for bits, rounding, extra bits and fused terms."""
    question = ask(machine, m=m, n=n)
    lost = losses(question)
    wide = width(question, lost)
    assert wide.way is not None
    rounding, extra = steps.steps(question, wide.bits, wide.way)
    return (wide.feature.word, rounding.word, extra.word, fused.fused(lost).word)


@pytest.mark.parametrize("order", [chain, reverse, lanes, blocks_of_four, halves])
def test_terms_added_two_at_a_time_in_any_order(order: Order) -> None:
    assert found(Arithmetic(order=order)) == ("24 bits", EVEN, "6 or more", "1")


@pytest.mark.parametrize("mode", [AWAY, ZERO, DOWN, UP])
@pytest.mark.parametrize("order", [chain, halves])
def test_rounding_of_sums(mode: str, order: Order) -> None:
    assert found(Arithmetic(order=order, mode=mode)) == ("24 bits", mode, "6 or more", "1")


@settings(max_examples=10, deadline=None)
@given(
    st.integers(8, 56),
    st.sampled_from(MODES),
    st.sampled_from((chain, reverse, lanes, blocks_of_four, halves)),
    st.permutations(range(32)),
)
def test_any_width_mode_and_order(bits: int, mode: str, order: Order, along: list[int]) -> None:
    def shuffled(terms: list[Fraction], how: Arithmetic) -> Fraction:
        return order([terms[place] for place in along], how)

    machine = Arithmetic(bits=bits, mode=mode, order=shuffled)
    assert found(machine) == (f"{bits} bits", mode, "6 or more", "1")


@pytest.mark.parametrize(
    ("machine", "bits"),
    [
        (Arithmetic(bits=53), 53),
        (Arithmetic(bits=32), 32),
        (Arithmetic(bits=11), 11),
        (Arithmetic(HALF, bits=11), 11),
        (Arithmetic(HALF), 24),
        (Arithmetic(BRAIN, bits=8), 8),
        (Arithmetic(DOUBLE, bits=53), 53),
        (Arithmetic(DTYPES["complex64"], three=True), 24),
    ],
)
def test_width_of_the_accumulator(machine: Arithmetic, bits: int) -> None:
    assert found(machine)[:2] == (f"{bits} bits", EVEN)


@pytest.mark.parametrize("size", [2, 4, 8, 16])
def test_blocks_added_exactly(size: int) -> None:
    expected = ("24 bits", EVEN, "6 or more", f"{size}, exact")
    assert found(Arithmetic(order=exactly(size))) == expected


# Operands, terms and extra bits of the tensor cores of V100, A100 and H100, as Fasi et al. (2021)
# and the models of Khattak and Mikaitis (2025) have them: aligned with the sum, cut, and truncated.
@pytest.mark.parametrize(
    ("machine", "size", "extra"),
    [
        (Arithmetic(HALF, order=aligned(4, 0), mode=ZERO), 4, 0),
        (Arithmetic(HALF, order=aligned(8, 1), mode=ZERO), 8, 1),
        (Arithmetic(BRAIN, order=aligned(8, 1), mode=ZERO), 8, 1),
        (Arithmetic(operand_bits=11, order=aligned(4, 1), mode=ZERO), 4, 1),
        (Arithmetic(HALF, order=aligned(16, 2), mode=ZERO), 16, 2),
        (Arithmetic(operand_bits=11, order=aligned(8, 2), mode=ZERO), 8, 2),
    ],
)
def test_tensor_cores(machine: Arithmetic, size: int, extra: int) -> None:
    assert found(machine) == ("24 bits", ZERO, str(extra), f"{size}, aligned")


def test_a_block_that_is_added_up_before_it_joins_the_sum() -> None:
    machine = Arithmetic(order=aligned(8, 2, with_sum=False), mode=ZERO)
    assert found(machine) == ("24 bits", ZERO, "2", "8, aligned")


@pytest.mark.parametrize("k", [32, 64, 96])
@pytest.mark.parametrize("size", [4, 16])
def test_blocks_of_every_other_term(k: int, size: int) -> None:
    """Even and odd positions of 2 * size neighbours go into a block each."""

    def order(terms: list[Fraction], how: Arithmetic) -> Fraction:
        spans = [terms[at : at + 2 * size] for at in range(0, len(terms), 2 * size)]
        dealt = [term for span in spans for part in (0, 1) for term in span[part::2]]
        return aligned(size, 1)(dealt, how)

    word = fused.fused(losses(ask(Arithmetic(order=order, mode=ZERO), k=k))).word
    # 16 of 32 hold the first position too, which none tells then from a sum under way.
    assert word == ("15, aligned" if (k, size) == (32, 16) else f"{size}, aligned")


def test_a_block_as_wide_as_the_window_is_named_as_such() -> None:
    machine = Arithmetic(order=aligned(32, 1), mode=ZERO)
    for k in (32, 64):
        assert fused.fused(losses(ask(machine, k=k))).word == "32 or more, aligned"


@pytest.mark.parametrize(("m", "n"), [(16, 1), (16, 4), (1, 1)])
def test_every_shape_can_be_asked(m: int, n: int) -> None:
    machine = Arithmetic(order=aligned(4, 1), mode=ZERO)
    assert found(machine, m, n)[2:] == ("1", "4, aligned")


def test_a_sum_that_is_never_rounded_before_the_end() -> None:
    question = ask(Arithmetic(order=long))
    lost = losses(question)
    wide = width(question, lost)
    assert (wide.bits, wide.way, wide.feature.word) == (0, None, "over 120 bits")
    assert fused.fused(lost).word == "all"


def test_a_narrow_sum_far_along_is_seen() -> None:
    """A library may add partial sums in half precision: no three near each other shows it."""

    def order(terms: list[Fraction], how: Arithmetic) -> Fraction:
        middle = len(terms) // 2
        parts = [chain(some, how) for some in (terms[:middle], terms[middle:])]
        return chain(parts, Arithmetic(bits=11))

    machine = Arithmetic(order=order)
    assert found(machine)[0] == "11 bits"
    assert "24 bits in" in width(ask(machine), losses(ask(machine))).feature.evidence


def test_every_mode_and_number_of_extra_bits_is_told_from_every_other() -> None:
    asked = [(sign, share) for sign in (1, -1) for share in steps.SHARES]
    for bits, mode, extra in product((11, 24), MODES, (1, 2, 3, 4, 5, None)):
        left = [steps.left(sign, share, bits, mode, extra) for sign, share in asked]
        rounding, guard = steps.read(asked, left, bits)
        assert rounding.word == mode
        assert guard.word == ("6 or more" if extra is None else str(extra))


def test_leftovers_that_no_rounding_explains_are_unknown() -> None:
    asked = [(1, share) for share in steps.SHARES]
    assert {one.word for one in steps.read(asked, [Fraction(3)] * len(asked), 24)} == {"unknown"}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", [HALF, BRAIN])
def test_rounding_of_results(dtype: DType, mode: str) -> None:
    assert results.results(ask(Arithmetic(dtype, result_mode=mode)), 24).word == mode


def test_results_as_wide_as_the_sum_are_not_rounded() -> None:
    assert results.results(ask(Arithmetic()), 24).word == "none"


def test_results_of_a_wide_sum_in_single_precision() -> None:
    assert results.results(ask(Arithmetic(bits=53, result_mode=ZERO)), 53).word == ZERO
