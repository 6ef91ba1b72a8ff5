"""One product, made in another way, gives the same result."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case

Prove = Callable[[Case], None]


@pytest.mark.applegpu(op="matmul", check="view")
def test_matmul_view(case: Case, prove: Prove) -> None:
    """Views of other memory give what plain copies of them give."""
    prove(case)


@pytest.mark.applegpu(op="matmul", check="rows")
def test_matmul_rows(case: Case, prove: Prove) -> None:
    """A row gives the same alone as among 2, 15, 16 and 64 others."""
    prove(case)


@pytest.mark.applegpu(op="matmul", check="scaling")
def test_matmul_scaling(case: Case, prove: Prove) -> None:
    """Powers of two pass through: no rounding depends on them."""
    prove(case)


@pytest.mark.applegpu(op="matmul", check="transposed")
def test_matmul_transposed(case: Case, prove: Prove) -> None:
    """The transposed operands in the other order give the result transposed."""
    prove(case)
