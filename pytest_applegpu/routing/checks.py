"""What does MLX refuse before anything is routed?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.routing.arrays import Array, Shape
from pytest_applegpu.routing.formats import converted, dtype_words, promoted
from pytest_applegpu.routing.launch import Refused, Tape

REAL: Final = frozenset({"float16", "bfloat16", "float32"})
"""Formats of real floating-point numbers."""


def shape_words(shape: Shape) -> str:
    """Return a shape as MLX's messages write it."""
    return f"({','.join(map(str, shape))})"


def as_real(tape: Tape, op: str, a: Array, b: Array) -> tuple[Array, Array]:
    """Return both operands in their common format, which must be real floating point.

    Raises:
        Refused: together they are integers, booleans or complex.
    """
    dtype = promoted(a.dtype, b.dtype)
    if dtype not in REAL:
        one, other, both = map(dtype_words, (a.dtype, b.dtype, dtype))
        raise Refused(
            f"[{op}] Only real floating point types are supported but {one} and {other} were "
            f"provided which results in {both}, which is not a real floating point type."
        )
    return converted(tape, a, dtype), converted(tape, b, dtype)


def inner_sizes(op: str, a: Array, b: Array) -> None:
    """Refuse matrices whose sizes along K differ.

    Raises:
        Refused: columns of `a` and rows of `b` are not as many.
    """
    if a.shape[-1] != b.shape[-2]:
        raise Refused(
            f"[{op}] Last dimension of first input with shape {shape_words(a.shape)} must match "
            f"second to last dimension of second input with shape {shape_words(b.shape)}."
        )


def as_matrices(op: str, a: Array, b: Array) -> tuple[Array, Array]:
    """Return both operands with at least two axes: a vector `a` is one row, `b` one column.

    The axis that is put in has stride 1, whatever lies behind it.

    Raises:
        Refused: an operand has no axis at all.
    """
    if a.ndim == 0 or b.ndim == 0:
        raise Refused(f"[{op}] Got 0 dimension input. Inputs must have at least one dimension.")
    row = Array((1, *a.shape), (1, *a.strides), a.dtype, a.offset, a.data_size)
    column = Array((*b.shape, 1), (*b.strides, 1), b.dtype, b.offset, b.data_size)
    return (row if a.ndim == 1 else a), (column if b.ndim == 1 else b)
