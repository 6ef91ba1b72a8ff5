"""Layers of `mlx.nn` give what their parameters and inputs mean."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case

Prove = Callable[[Case], None]


@pytest.mark.applegpu(op="linear")
def test_linear(case: Case, prove: Prove) -> None:
    """`nn.Linear` multiplies by its weight transposed, and adds its bias to every row."""
    prove(case)


@pytest.mark.applegpu(op="quantized_linear")
def test_quantized_linear(case: Case, prove: Prove) -> None:
    """`nn.QuantizedLinear` does so with what its packed weight means."""
    prove(case)


@pytest.mark.applegpu(op="multi_head_attention")
def test_multi_head_attention(case: Case, prove: Prove) -> None:
    """`nn.MultiHeadAttention` projects, splits heads, attends, joins them and projects again."""
    prove(case)
