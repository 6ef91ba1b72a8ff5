"""The arithmetic of each route of `mx.matmul` is what it was on this chip."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case


@pytest.mark.applegpu(op="matmul", check="card")
def test_matmul_card(case: Case, card: Callable[[Case], None]) -> None:
    """Read a route's feature card off its bits: another one than is stored is news."""
    card(case)
