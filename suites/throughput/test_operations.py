"""The other operations are as fast as they were: those of sets of shapes, and asked for by text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case

Clock = Callable[[Case], None]


@pytest.mark.applegpu(op="addmm", check="throughput")
def test_addmm_throughput(case: Case, clock: Clock) -> None:
    """Time a product with an addend, as a linear layer with bias makes."""
    clock(case)


@pytest.mark.applegpu(op="gather_mm", check="throughput")
def test_gather_mm_throughput(case: Case, clock: Clock) -> None:
    """Time products of picked matrices, as a mixture of experts makes."""
    clock(case)


@pytest.mark.applegpu(op="block_masked_mm", check="throughput")
def test_block_masked_mm_throughput(case: Case, clock: Clock) -> None:
    """Time products of masked blocks."""
    clock(case)


@pytest.mark.applegpu(op="segmented_mm", check="throughput")
def test_segmented_mm_throughput(case: Case, clock: Clock) -> None:
    """Time products over segments."""
    clock(case)


@pytest.mark.applegpu(op="quantized_matmul", check="throughput")
def test_quantized_matmul_throughput(case: Case, clock: Clock) -> None:
    """Time a product with packed weights."""
    clock(case)


@pytest.mark.applegpu(op="gather_qmm", check="throughput")
def test_gather_qmm_throughput(case: Case, clock: Clock) -> None:
    """Time products with picked stacks of packed weights."""
    clock(case)


@pytest.mark.applegpu(op="qqmm", check="throughput")
def test_qqmm_throughput(case: Case, clock: Clock) -> None:
    """Time a product that is packed on both sides."""
    clock(case)


@pytest.mark.applegpu(op="sdpa", check="throughput")
def test_attention_throughput(case: Case, clock: Clock) -> None:
    """Time attention."""
    clock(case)


@pytest.mark.applegpu(op="conv1d", check="throughput")
def test_conv1d_throughput(case: Case, clock: Clock) -> None:
    """Time a convolution over one axis."""
    clock(case)


@pytest.mark.applegpu(op="conv2d", check="throughput")
def test_conv2d_throughput(case: Case, clock: Clock) -> None:
    """Time a convolution over two axes."""
    clock(case)


@pytest.mark.applegpu(op="linear", check="throughput")
def test_linear_throughput(case: Case, clock: Clock) -> None:
    """Time `nn.Linear`."""
    clock(case)


@pytest.mark.applegpu(op="quantized_linear", check="throughput")
def test_quantized_linear_throughput(case: Case, clock: Clock) -> None:
    """Time `nn.QuantizedLinear`."""
    clock(case)


@pytest.mark.applegpu(op="multi_head_attention", check="throughput")
def test_multi_head_attention_throughput(case: Case, clock: Clock) -> None:
    """Time `nn.MultiHeadAttention`."""
    clock(case)
