"""Comparisons of sizes: what they mean, and that nothing else is one."""

from __future__ import annotations

import operator
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.issues.comparison import looks_like_one, parse_comparisons

SIGNS: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def holds(text: str, size: int) -> bool:
    return all(one.holds(size) for one in parse_comparisons(text))


@given(st.sampled_from(sorted(SIGNS)), st.integers(0, 2**40), st.integers(0, 2**40))
def test_a_sign_means_what_python_means_by_it(sign: str, number: int, size: int) -> None:
    assert holds(f"{sign} {number}", size) == SIGNS[sign](size, number)
    assert looks_like_one(f"{sign}{number}")


@given(st.integers(1, 999), st.integers(0, 999), st.integers(0, 10**6))
def test_a_remainder_is_compared_where_a_modulus_is_said(
    modulus: int, rest: int, size: int
) -> None:
    assert holds(f"% {modulus} == {rest}", size) == (size % modulus == rest)


def test_all_that_is_joined_must_hold() -> None:
    assert [size for size in range(20) if holds("> 3 and <= 12 and % 4 != 0", size)] == [
        *(5, 6, 7, 9, 10, 11),
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("", "0", "= 0", "=> 1", ">= -1", ">= x", "== 1 and", "== 1 or == 2", "% 8", "% == 0"),
        *("m > 1", "== 1.5", "== 1e3", "== ²", "== 1; import os", "__import__('os')"),
        "== " + "9" * 19,
    ],
)
def test_what_is_no_comparison_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not comparisons joined by `and`, as in"):
        parse_comparisons(text)


def test_nothing_is_divided_by_0() -> None:
    with pytest.raises(ValueError, match=r"'% 0 == 0' divides by 0"):
        parse_comparisons("% 0 == 0")


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_comparisons(text)
    except ValueError:
        return
    assert all(isinstance(one.holds(1), bool) for one in found)


@pytest.mark.parametrize("text", ["mxfp4", "0.5", "-1", "7", "", "a and b"])
def test_a_plain_value_does_not_look_like_one(text: str) -> None:
    assert not looks_like_one(text)
