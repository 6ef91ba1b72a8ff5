"""A product that MLX transforms stays the product."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case

Prove = Callable[[Case], None]

TRANSFORMS = ("gradient", "vmap", "compiled", "shapeless", "exported")


@pytest.mark.applegpu(op="matmul", check="gradient")
def test_matmul_gradient(case: Case, prove: Prove) -> None:
    """Gradients of both operands, together and alone, are those of the definition."""
    prove(case)


@pytest.mark.applegpu(op="matmul", check="vmap")
def test_matmul_vmap(case: Case, prove: Prove) -> None:
    """Calls over a new axis of either operand, or of both, give what calls one by one give."""
    prove(case)


@pytest.mark.applegpu(op="matmul", check="compiled")
def test_matmul_compiled(case: Case, prove: Prove) -> None:
    """A compiled call gives what the plain one gives."""
    prove(case)


@pytest.mark.applegpu(op="matmul", check="shapeless")
def test_matmul_shapeless(case: Case, prove: Prove) -> None:
    """A call compiled at another size gives what the plain one gives."""
    prove(case)


@pytest.mark.applegpu(op="matmul", check="exported")
def test_matmul_exported(case: Case, prove: Prove) -> None:
    """A call exported at another size and imported gives what the plain one gives."""
    prove(case)


@pytest.mark.applegpu(op="sdpa", check=TRANSFORMS)
def test_attention(case: Case, prove: Prove) -> None:
    """Attention through each transform; its gradients are those of the softmax."""
    prove(case)


@pytest.mark.applegpu(op="conv1d", check=TRANSFORMS)
def test_conv1d(case: Case, prove: Prove) -> None:
    """A convolution over one axis through each transform."""
    prove(case)


@pytest.mark.applegpu(op="conv2d", check=TRANSFORMS)
def test_conv2d(case: Case, prove: Prove) -> None:
    """A convolution over two axes through each transform."""
    prove(case)
