"""`mx.fast.scaled_dot_product_attention` gives the right numbers, with every mask."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case

Prove = Callable[[Case], None]


@pytest.mark.applegpu(op="sdpa", check="exact")
def test_attention_exact(case: Case, prove: Prove) -> None:
    """A query that picks one key gets its value bit by bit; one that picks two gets their mean."""
    prove(case)


@pytest.mark.applegpu(op="sdpa", check="bounded")
def test_attention_bounded(case: Case, prove: Prove) -> None:
    """Real data: each element lies within what errors of scores, weights and sums allow."""
    prove(case)


@pytest.mark.applegpu(op="sdpa", check="isolation")
def test_attention_isolation(case: Case, prove: Prove) -> None:
    """A NaN in one query reaches its own output and no other."""
    prove(case)


@pytest.mark.applegpu(op="sdpa", check="repeat")
def test_attention_repeat(case: Case, prove: Prove) -> None:
    """Ten calls with the same operands give the same bits."""
    prove(case)
