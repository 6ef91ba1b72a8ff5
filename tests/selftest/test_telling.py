"""The cases that tell come first: those a fault applies to, cheap ones before others."""

from __future__ import annotations

import pytest

from pytest_applegpu.cases.budget import cost
from pytest_applegpu.cases.case import TWINS, Case, parse_cases
from pytest_applegpu.selftest.faults import FAULTS, Fault, Sizes
from pytest_applegpu.selftest.telling import MOST, sizes_of, telling, tells
from pytest_applegpu.setting import Setting


def one(text: str) -> Case:
    """Return a case with TF32 on."""
    (case,) = parse_cases(text, [Setting("on")])
    return case


@pytest.mark.parametrize("fault", FAULTS.values(), ids=lambda fault: fault.name)
def test_telling_cases_are_planned_ones_it_applies_to(fault: Fault, tier: list[Case]) -> None:
    own = [case for case in tier if case.problem.op == fault.op]
    found = telling(fault, own, "cpu")
    assert 0 < len(found) <= MOST
    assert set(found) <= set(own)
    assert len(set(found)) == len(found)
    compared = not set(fault.checks).isdisjoint(TWINS)
    assert compared or all(fault.applies(sizes_of(case)) for case in found)


def test_cases_of_another_operation_tell_nothing() -> None:
    assert telling(FAULTS["alpha_ignored"], [one("matmul-f32-nn-4x4x4")], "cpu") == []
    assert telling(FAULTS["last_row"], [one("addmm-f32-nn-4x4x4")], "cpu") == []


def test_a_case_tells_of_what_its_twin_alone_would_meet() -> None:
    rows = one("matmul-f32-nn-66x35x130 fill=normal check=rows")
    assert not FAULTS["fifteen_rows"].applies(sizes_of(rows))
    assert telling(FAULTS["fifteen_rows"], [rows], "cpu") == [rows]


def test_cheap_cases_come_first() -> None:
    dear, cheap = one("matmul-f32-nn-2000x2000x2001"), one("matmul-f32-nn-20x20x21")
    assert cost(dear.problem, "cpu") > cost(cheap.problem, "cpu")
    assert telling(FAULTS["odd_k"], [dear, cheap], "cpu") == [cheap, dear]


def test_matrices_come_before_vectors() -> None:
    vector, matrix = one("matmul-f32-nn-1x20x21"), one("matmul-f32-nn-20x20x21")
    assert telling(FAULTS["odd_k"], [vector, matrix], "cpu") == [matrix, vector]


def test_many_are_spread_over_all_of_them() -> None:
    cases = [one(f"matmul-f32-nn-4x4x{k}") for k in range(3, 801, 2)]
    found = telling(FAULTS["odd_k"], cases, "cpu")
    assert found[: MOST // 2] == cases[: MOST // 2]
    assert len(found) == MOST
    assert found[-1].problem.k > 700


def test_nothing_tells_where_it_cannot_apply() -> None:
    assert telling(FAULTS["odd_k"], [one("matmul-f32-nn-4x4x4")], "cpu") == []


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("padding_read", "matmul-f32-nn-4x4x4 b=pad:8", True),
        ("padding_read", "matmul-f32-nn-4x4x4", False),
        ("operator_only", "matmul-f32-nn-4x4x4 via=operator", True),
        ("operator_only", "matmul-f32-nn-4x4x4", False),
        ("nan_to_zero", "matmul-f32-nn-4x4x4 fill=special", True),
        ("nan_to_zero", "matmul-f32-nn-4x4x4", False),
        ("last_bit_at_random", "matmul-f32-nn-4x4x4 fill=normal check=repeat", True),
        ("last_bit_at_random", "matmul-f32-nn-4x4x4 fill=normal", False),
        ("tf32_while_off", "matmul-f32-nn-4x4x4 fill=normal", False),
        ("addend_row_as_column", "addmm-f32-nn-4x4x4 addend=row", True),
        ("addend_row_as_column", "addmm-f32-nn-4x4x4", False),
        ("addend_in_one_piece", "addmm-f32-nn-4x4x4 c=pad:8", True),
        ("addend_in_one_piece", "addmm-f32-nn-4x4x4 a=pad:8", False),
        ("index_off_by_one", "gather_mm-f32-nn-4x4x4-b4:8 by=both", True),
        ("index_off_by_one", "gather_mm-f32-nn-4x4x4-b4:8 by=lhs", False),
        ("function_only", "matmul-f32-nn-4x4x4 via=einsum", False),
        ("last_row", "matmul-f32-nn-4x4x4 via=inner", False),
        ("float64_as_float32", "matmul-f64-nn-4x4x4 fill=normal", True),
        ("float64_as_float32", "matmul-f32-nn-4x4x4 fill=normal", False),
    ],
)
def test_fill_layout_check_and_way_of_calling_count(name: str, text: str, expected: bool) -> None:
    assert tells(FAULTS[name], one(text)) is expected


def test_sizes_are_those_of_the_case() -> None:
    found = sizes_of(one("matmul-c64-tn-5x6x7-b2x1:1x3 via=operator"))
    assert found == Sizes("complex64", 5, 6, 7, (2, 1), (1, 3), "tn", "operator", tf32=True)
    assert found.batch == (2, 3)
    assert found.matrices == 6
    assert found.full == (2, 3, 5, 6)


def test_a_batch_that_is_picked_is_the_results() -> None:
    found = sizes_of(one("gather_mm-f32-nt-5x6x7-b4:3 by=both picks=9"))
    assert (found.batch_a, found.batch_b, found.batch) == ((4,), (3,), (9,))
    assert found.full == (9, 5, 6)
