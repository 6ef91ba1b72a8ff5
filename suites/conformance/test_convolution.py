"""`mx.conv1d` and `mx.conv2d`, where they are products of matrices, give the right numbers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case

Prove = Callable[[Case], None]


@pytest.mark.applegpu(op="conv1d", check="exact")
def test_conv1d_exact(case: Case, prove: Prove) -> None:
    """Integer data over one axis: every bit must be right."""
    prove(case)


@pytest.mark.applegpu(op="conv1d", check="bounded")
def test_conv1d_bounded(case: Case, prove: Prove) -> None:
    """Real data over one axis lie within the bound of their own rounding errors."""
    prove(case)


@pytest.mark.applegpu(op="conv1d", check="isolation")
def test_conv1d_isolation(case: Case, prove: Prove) -> None:
    """NaN and Inf reach the places whose windows hold them, and no others."""
    prove(case)


@pytest.mark.applegpu(op="conv2d", check="exact")
def test_conv2d_exact(case: Case, prove: Prove) -> None:
    """Integer data over two axes: every bit must be right."""
    prove(case)


@pytest.mark.applegpu(op="conv2d", check="bounded")
def test_conv2d_bounded(case: Case, prove: Prove) -> None:
    """Real data over two axes lie within the bound of their own rounding errors."""
    prove(case)


@pytest.mark.applegpu(op="conv2d", check="isolation")
def test_conv2d_isolation(case: Case, prove: Prove) -> None:
    """NaN and Inf reach the places whose windows hold them, and no others."""
    prove(case)
