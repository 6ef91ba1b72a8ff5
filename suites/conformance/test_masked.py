"""`mx.block_masked_mm` multiplies what its masks let through."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case


@pytest.mark.applegpu(op="block_masked_mm")
def test_block_masked_mm(case: Case, prove: Callable[[Case], None]) -> None:
    """Blocks that a mask hides count as zero, NaN included; numbers in a mask scale a block."""
    prove(case)
