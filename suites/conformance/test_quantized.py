"""`mx.quantized_matmul` multiplies by what packed weights mean."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case


@pytest.mark.applegpu(op="quantized_matmul")
def test_quantized_matmul(case: Case, prove: Callable[[Case], None]) -> None:
    """Weights are what their format's definition says, and sums keep what float32 would."""
    prove(case)
