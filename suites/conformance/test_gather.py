"""`mx.gather_mm` and `mx.gather_qmm` multiply the matrices that the indices pick."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case

Prove = Callable[[Case], None]


@pytest.mark.applegpu(op="gather_mm")
def test_gather_mm(case: Case, prove: Prove) -> None:
    """Each result is the product of its own two matrices, picked in any order, often or never."""
    prove(case)


@pytest.mark.applegpu(op="gather_qmm")
def test_gather_qmm(case: Case, prove: Prove) -> None:
    """The same with packed weights, in every mode, group size and number of bits."""
    prove(case)
