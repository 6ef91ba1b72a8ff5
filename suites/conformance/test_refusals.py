"""What MLX must refuse it refuses, with an error that says what is wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case

Prove = Callable[[Case], None]


@pytest.mark.applegpu(op="matmul", check="refusal")
def test_matmul_refusals(case: Case, prove: Prove) -> None:
    """Operands that do not go together, or are no matrices of real numbers."""
    prove(case)


@pytest.mark.applegpu(op="addmm", check="refusal")
def test_addmm_refusals(case: Case, prove: Prove) -> None:
    """The same, and an addend that does not broadcast."""
    prove(case)


@pytest.mark.applegpu(op="gather_mm", check="refusal")
def test_gather_mm_refusals(case: Case, prove: Prove) -> None:
    """Operands that do not go together, and indices that are none."""
    prove(case)


@pytest.mark.applegpu(op="block_masked_mm", check="refusal")
def test_block_masked_mm_refusals(case: Case, prove: Prove) -> None:
    """Blocks that there are not, and masks of another number of blocks."""
    prove(case)


@pytest.mark.applegpu(op="segmented_mm", check="refusal")
def test_segmented_mm_refusals(case: Case, prove: Prove) -> None:
    """Stacks, and segments that are none."""
    prove(case)


@pytest.mark.applegpu(op="quantized_matmul", check="refusal")
def test_quantized_matmul_refusals(case: Case, prove: Prove) -> None:
    """Modes, groups and bits that there are not, and scales of another mode."""
    prove(case)


@pytest.mark.applegpu(op="gather_qmm", check="refusal")
def test_gather_qmm_refusals(case: Case, prove: Prove) -> None:
    """The same of stacks, and indices that are none."""
    prove(case)


@pytest.mark.applegpu(op="quantize", check="refusal")
def test_quantize_refusals(case: Case, prove: Prove) -> None:
    """Modes, groups and bits that there are not, and rows that are no whole groups."""
    prove(case)


@pytest.mark.applegpu(op="dequantize", check="refusal")
def test_dequantize_refusals(case: Case, prove: Prove) -> None:
    """Scales and biases of another mode, or for other groups."""
    prove(case)


@pytest.mark.applegpu(op="qqmm", check="refusal")
def test_qqmm_refusals(case: Case, prove: Prove) -> None:
    """Modes, groups and bits that there are not, and scales of another mode."""
    prove(case)


@pytest.mark.applegpu(op="sdpa", check="refusal")
def test_sdpa_refusals(case: Case, prove: Prove) -> None:
    """Heads, masks and sinks that do not fit."""
    prove(case)


@pytest.mark.applegpu(op="conv1d", check="refusal")
def test_conv1d_refusals(case: Case, prove: Prove) -> None:
    """Channels, groups and sizes that do not fit, over one axis."""
    prove(case)


@pytest.mark.applegpu(op="conv2d", check="refusal")
def test_conv2d_refusals(case: Case, prove: Prove) -> None:
    """The same over two axes."""
    prove(case)
