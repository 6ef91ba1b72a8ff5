"""`mx.matmul` is as fast as it was on this chip: GEMM, GEMV and batched products."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case


@pytest.mark.applegpu(op="matmul", check="throughput")
def test_matmul_throughput(case: Case, clock: Callable[[Case], None]) -> None:
    """Time the product, and fail if it is slower than the baseline says, twice measured."""
    clock(case)
