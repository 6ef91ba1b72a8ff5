"""Faults that hold by a known rule are cut down to their smallest case, and the rule is said."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.cases.shrinking.extent import Extent
from pytest_applegpu.cases.shrinking.plainer import plainer
from pytest_applegpu.cases.shrinking.shrink import TRIES, Shrunk, shrink
from pytest_applegpu.cases.shrinking.sizes import PERIODS, axes, smaller
from pytest_applegpu.cases.shrinking.tries import Spent
from pytest_applegpu.problem import Problem
from pytest_applegpu.setting import Setting

BIG = "matmul-f32-nt-100x130x5000-b2x3 a=pad:8 b=step via=operator fill=cancel"

Holds = Callable[[Problem], bool]


class Planted(NamedTuple):
    """A fault: a case that it makes fail, where it holds, and what is to be found."""

    text: str
    holds: Holds
    smallest: str
    starts: str


FAULTS = {
    "long K": Planted(
        BIG,
        lambda p: p.k > 4096,
        "matmul-f32-nn-1x1x4097",
        "fails from K = 4097 on, right at K = 4096 (tried from K = 1 to 8193)",
    ),
    "ragged N": Planted(
        BIG,
        lambda p: p.n % 64 != 0,
        "matmul-f32-nn-1x1x1",
        "fails where N is no multiple of 64 "
        "(1, 63, 65 and 129 fail; 64, 128, 192 and 256 are right)",
    ),
    "ragged N that begins with 65": Planted(
        BIG,
        lambda p: p.n > 64 and p.n % 64 != 0,
        "matmul-f32-nn-1x65x1",
        "fails where N is no multiple of 64, from N = 65 on, right below "
        "(65, 127, 129 and 257 fail; 128, 192, 256 and 320 are right)",
    ),
    "a second row": Planted(
        BIG,
        lambda p: p.m >= 2,
        "matmul-f32-nn-2x1x1",
        "fails from M = 2 on, right at M = 1 (tried from M = 1 to 6720)",
    ),
    "long K and ragged N": Planted(
        BIG,
        lambda p: p.k > 4096 and p.n % 64 != 0,
        "matmul-f32-nn-1x1x4097",
        "fails where N is no multiple of 64 "
        "(1, 63, 65 and 129 fail; 64, 128, 192 and 256 are right)",
    ),
    "three in a batch": Planted(
        BIG,
        lambda p: prod(p.batch) >= 3,
        "matmul-f32-nn-1x1x1-b3",
        "fails from batch = 3 on, right at batch = 2 (tried from batch = 1 to 6720)",
    ),
    "batches that broadcast": Planted(
        "matmul-f32-nn-20x30x40-b2x1:1x3",
        lambda p: p.batch_a != p.batch_b,
        "matmul-f32-nn-1x1x1-b1:2",
        "right with the same batch for both operands",
    ),
    "padded rows of A": Planted(
        BIG,
        lambda p: p.layout_a.startswith("pad"),
        "matmul-f32-nn-1x1x1 a=pad:1",
        "right with a=plain instead of a=pad:1",
    ),
    "rows padded by 4 and more": Planted(
        BIG,
        lambda p: p.layout_a in {"pad:4", "pad:8"},
        "matmul-f32-nn-1x1x1 a=pad:4",
        "right with a=pad:2 instead of a=pad:4",
    ),
    "a transposed B": Planted(
        BIG,
        lambda p: p.transpose[1] == "t",
        "matmul-f32-nt-1x1x1",
        "right with nn instead of nt",
    ),
    "the operator": Planted(
        BIG,
        lambda p: p.param("via") == "operator",
        "matmul-f32-nn-1x1x1 via=operator",
        "right with via=function instead of via=operator",
    ),
    "K no multiple of 24": Planted(
        BIG,
        lambda p: p.k % 24 != 0,
        "matmul-f32-nn-1x1x1",
        "fails where K is no multiple of 24 (1, 23, 25 and 73 fail; 24, 48, 72 and 96 are right)",
    ),
    "K a multiple of 24": Planted(
        "matmul-f32-nn-20x30x240",
        lambda p: p.k % 24 == 0,
        "matmul-f32-nn-1x1x24",
        "fails where K is a multiple of 24 (24, 48, 72 and 96 fail; 1, 23, 25 and 73 are right)",
    ),
    "K that leaves 5 of 24": Planted(
        "matmul-f32-nn-20x30x245",
        lambda p: p.k % 24 == 5,
        "matmul-f32-nn-1x1x5",
        "fails where K is 5 modulo 24 (5, 29, 53 and 77 fail; 1, 4, 6 and 54 are right)",
    ),
    "few rows": Planted(
        "matmul-f32-nn-3x30x245",
        lambda p: p.m <= 8,
        "matmul-f32-nn-1x1x1",
        "fails up to M = 8, right at M = 9 (tried from M = 1 to 6720)",
    ),
    "one size alone": Planted(
        "matmul-f32-nn-3x33x245",
        lambda p: p.n == 33,
        "matmul-f32-nn-1x33x1",
        "fails at N = 33 alone (tried from N = 1 to 6720)",
    ),
    "powers of two": Planted(
        "matmul-f32-nn-3x30x256",
        lambda p: p.k & (p.k - 1) == 0,
        "matmul-f32-nn-1x1x1",
        "fails at K = 1, 2, 4 and 8, right at K = 3, 24, 48 and 63, ...: no simple rule",
    ),
    "a thousand elements": Planted(
        BIG,
        lambda p: p.m * p.n >= 1000,
        "matmul-f32-nn-100x10x1",
        "fails from M = 100 on, right at M = 99 (tried from M = 1 to 6720)",
    ),
    "129 rows": Planted(
        "matmul-f32-nn-1000x30x24",
        lambda p: p.m >= 129,
        "matmul-f32-nn-129x1x1",
        "fails from M = 129 on, right at M = 128 (tried from M = 1 to 6720)",
    ),
    "everything": Planted(
        BIG,
        lambda _: True,
        "matmul-f32-nn-1x1x1",
        "fails at every size tried of M from 1 to 6720, N from 1 to 6720, K from 1 to 8193",
    ),
}


def case(text: str) -> Case:
    return parse_cases(text, [Setting()])[0]


def found(text: str, holds: Holds, most: int = TRIES) -> Shrunk:
    least = shrink(case(text), lambda one: holds(one.problem), most)
    assert least is not None
    return least


@pytest.mark.parametrize("name", FAULTS)
def test_the_smallest_case_and_where_it_starts_are_found(name: str) -> None:
    fault = FAULTS[name]
    least = found(fault.text, fault.holds)
    assert str(least.case) == f"{fault.smallest} fill=integer tf32=on"
    assert fault.starts in least.starts
    assert least.minimal
    assert not least.spent


@pytest.mark.parametrize("name", FAULTS)
def test_no_step_from_the_smallest_case_still_fails(name: str) -> None:
    fault = FAULTS[name]
    least = found(fault.text, fault.holds).case
    assert [said for said, one in plainer(least) if fault.holds(one.problem)] == []
    for axis in axes(least):
        steps = (axis.resized(least, size) for size in smaller(axis.of(least)))
        assert [one for one in steps if one and fault.holds(one.problem)] == []


@pytest.mark.parametrize("name", ["long K and ragged N", "K that leaves 5 of 24"])
def test_the_same_search_finds_the_same(name: str) -> None:
    fault = FAULTS[name]
    assert found(fault.text, fault.holds) == found(fault.text, fault.holds)


def test_both_sides_of_an_edge_are_given_for_the_smallest_and_the_first_sizes() -> None:
    least = found(BIG, FAULTS["long K"].holds)
    pairs = [(one.axis.name, one.right.problem, one.wrong.problem) for one in least.crossings]
    assert [(name, right.k, wrong.k) for name, right, wrong in pairs] == [("K", 4096, 4097)] * 2
    assert [(wrong.m, wrong.n) for _, _, wrong in pairs] == [(1, 1), (100, 130)]


def test_no_case_is_tried_twice() -> None:
    tried: list[str] = []

    def fails(one: Case) -> bool:
        tried.append(str(one))
        return one.problem.k > 4096

    least = shrink(case(BIG), fails)
    assert least is not None
    assert len(tried) == len(set(tried)) == least.tried


def test_where_tries_run_out_it_says_so_and_gives_the_best_so_far() -> None:
    least = found(BIG, FAULTS["long K"].holds, most=12)
    assert (least.tried, least.minimal, least.spent) == (12, False, "12 cases were tried")
    assert least.case.problem.k > 4096
    assert least.case.problem.m == 1


def test_where_time_runs_out_round_the_smallest_case_it_is_still_the_smallest() -> None:
    def fails(one: Case) -> bool:
        if one.problem.k == 4098:
            raise Spent("no time")
        return one.problem.k > 4096

    least = shrink(case(BIG), fails)
    assert least is not None
    assert (least.minimal, least.spent) == (True, "no time")
    said = "fails from K = 4097 on, right at K = 4096 (tried from K = 1 to 4097)"
    assert said in least.starts


def test_a_case_that_does_not_fail_now_is_not_shrunk() -> None:
    assert shrink(case(BIG), lambda _: False) is None


def test_what_cannot_be_told_is_neither_right_nor_wrong() -> None:
    def fails(one: Case) -> bool | None:
        return None if one.problem.k == 4096 else one.problem.k > 4096

    least = shrink(case(BIG), fails)
    assert least is not None
    assert least.starts[0].startswith("fails from K = 4097 on, right at K = 4095 ")
    assert least.crossings == ()


def test_an_empty_product_keeps_its_empty_sizes() -> None:
    least = found("matmul-f32-nn-0x30x40", lambda p: p.m == 0)
    assert str(least.case.problem) == "matmul-f32-nn-0x1x1"


def test_real_data_stay_where_whole_numbers_are_right() -> None:
    least = shrink(case("matmul-f32-nn-20x30x40 fill=spread"), lambda one: one.check == "bounded")
    assert least is not None
    assert str(least.case) == "matmul-f32-nn-1x1x1 fill=normal tf32=on"
    assert least.starts[-1] == "right with fill=integer check=exact instead of fill=normal"


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_thresholds_and_periods_are_found_wherever_the_failure_was_seen(
    data: st.DataObject,
) -> None:
    first = data.draw(st.none() | st.integers(2, 5000))
    period = data.draw(st.sampled_from((1, *PERIODS)))
    outside = period > 1 and data.draw(st.booleans())
    residue = 0 if outside else data.draw(st.integers(0, period - 1))
    rule = Extent(first, None, period, residue, outside)
    seen = data.draw(st.integers(first or 1, (first or 1) + 3000))
    assume(rule.holds(seen))
    least = found(f"matmul-f32-nt-7x9x{seen}", lambda p: rule.holds(p.k))
    assert least.case.problem.k == next(k for k in range(1, seen + 1) if rule.holds(k))
    assert least.case.problem.m == least.case.problem.n == 1
    if first is None and period == 1:
        assert least.starts[0].startswith("fails at every size tried")
    elif period == 1:
        assert least.starts[0].startswith(
            f"fails from K = {first} on, right at K = {seen_right(first)} "
        )
    else:
        assert f"of {period}" in least.starts[0] or f"modulo {period}" in least.starts[0]


def seen_right(first: int | None) -> int:
    assert first is not None
    return first - 1
