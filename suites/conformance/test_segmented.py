"""`mx.segmented_mm` multiplies over each segment of K by itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case


@pytest.mark.applegpu(op="segmented_mm")
def test_segmented_mm(case: Case, prove: Callable[[Case], None]) -> None:
    """Each segment gives the product over its own part of K, and an empty one gives zeros."""
    prove(case)
