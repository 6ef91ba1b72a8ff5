"""`mx.matmul` and `a @ b` give the right numbers, in every format, size and layout."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case

Prove = Callable[[Case], None]


@pytest.mark.applegpu(op="matmul", check="exact")
def test_matmul_exact(case: Case, prove: Prove) -> None:
    """Integer data leave no room for rounding: every bit must be right."""
    prove(case)


@pytest.mark.applegpu(op="matmul", check="bounded")
def test_matmul_bounded(case: Case, prove: Prove) -> None:
    """Real data: each element lies within the bound of its own rounding errors."""
    prove(case)


@pytest.mark.applegpu(op="matmul", check="projection")
def test_matmul_projection(case: Case, prove: Prove) -> None:
    """Large products: A (B r) and (A B) r agree exactly, so no element is wrong."""
    prove(case)


@pytest.mark.applegpu(op="matmul", check="isolation")
def test_matmul_isolation(case: Case, prove: Prove) -> None:
    """NaN and Inf reach the rows and columns they belong to, and no others."""
    prove(case)


@pytest.mark.applegpu(op="matmul", check="repeat")
def test_matmul_repeat(case: Case, prove: Prove) -> None:
    """Ten calls with the same operands give the same bits."""
    prove(case)
