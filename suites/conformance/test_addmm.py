"""`mx.addmm` gives alpha A B + beta C: every factor, every shape of the addend, every layout."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case


@pytest.mark.applegpu(op="addmm")
def test_addmm(case: Case, prove: Callable[[Case], None]) -> None:
    """The addend is scaled and added once, to its own elements, with and without a product."""
    prove(case)
