"""Which format do operands of several formats have together, as MLX promotes them?"""

from __future__ import annotations

from functools import cache
from typing import Final

from pytest_applegpu.routing.arrays import ITEMSIZE, Array, dense
from pytest_applegpu.routing.copies import general_copy, vector_copy
from pytest_applegpu.routing.launch import Tape

KINDS: Final = ("bool", "uint", "int", "float", "complex")
"""Kinds of formats, each below the next one."""

INEXACT: Final = frozenset({"float16", "bfloat16", "float32", "complex64"})
"""Formats of floating-point numbers, real or complex."""

_LARGEST_INTEGER: Final = 8


def dtype_words(dtype: str) -> str:
    """Return a format as MLX's messages write it."""
    return "bool" if dtype == "bool_" else dtype


def kind(dtype: str) -> str:
    """Return the kind of a format."""
    return "float" if dtype == "bfloat16" else dtype.rstrip("_0123456789")


@cache
def promoted(one: str, other: str) -> str:
    """Return the format that holds both.

    The higher kind wins. Within a kind it is the larger one, float32 for the two 16-bit floats, and
    for signed with unsigned integers a signed one larger than the unsigned: float32 beside uint64.
    """
    low, high = sorted((one, other), key=lambda dtype: (KINDS.index(kind(dtype)), ITEMSIZE[dtype]))
    if {one, other} == {"float16", "bfloat16"}:
        return "float32"
    if (kind(low), kind(high)) != ("uint", "int") or ITEMSIZE[low] < ITEMSIZE[high]:
        return high
    size = 2 * ITEMSIZE[low]
    return f"int{8 * size}" if size <= _LARGEST_INTEGER else "float32"


def converted(tape: Tape, array: Array, dtype: str) -> Array:
    """Return `array` in another format: element by element where it lies without gaps, else dense.

    An array that has the format already is returned as it is.
    """
    if array.dtype == dtype:
        return array
    if array.size == 0:
        return dense(array.shape, dtype)
    if array.contiguous:
        tape.add(vector_copy(array, dtype))
        return Array(array.shape, array.strides, dtype, data_size=array.data_size)
    out = dense(array.shape, dtype)
    tape.add(general_copy(array, out))
    return out
