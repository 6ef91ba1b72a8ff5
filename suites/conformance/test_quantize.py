"""Weights are packed and unpacked as their formats' definitions say, and `mx.qqmm` packs both."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case

Prove = Callable[[Case], None]


@pytest.mark.applegpu(op="quantize", check="exact")
def test_quantize_exact(case: Case, prove: Prove) -> None:
    """Numbers on elements of a format and halfway between: every code and scale must be right."""
    prove(case)


@pytest.mark.applegpu(op="quantize", check="bounded")
def test_quantize_bounded(case: Case, prove: Prove) -> None:
    """Real weights: affine codes within half a step, others as the definition says."""
    prove(case)


@pytest.mark.applegpu(op="dequantize", check="exact")
def test_dequantize_exact(case: Case, prove: Prove) -> None:
    """Codes of whole numbers: every bit of what they mean must be right."""
    prove(case)


@pytest.mark.applegpu(op="dequantize", check="bounded")
def test_dequantize_bounded(case: Case, prove: Prove) -> None:
    """All codes under real scales: within two roundings of what they mean."""
    prove(case)


@pytest.mark.applegpu(op="qqmm", check="exact")
def test_qqmm_exact(case: Case, prove: Prove) -> None:
    """Operands that packing leaves as they are: every bit must be right."""
    prove(case)


@pytest.mark.applegpu(op="qqmm", check="bounded")
def test_qqmm_bounded(case: Case, prove: Prove) -> None:
    """Real operands: the product of what they are packed to, within its bound."""
    prove(case)
