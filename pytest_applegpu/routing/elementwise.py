"""Which kernel combines two arrays element by element, and where does its result lie?"""

from __future__ import annotations

from pytest_applegpu.routing.arrays import (
    Array,
    broadcast_to,
    dense,
    dense_strides,
)
from pytest_applegpu.routing.broadcasting import together
from pytest_applegpu.routing.copies import (
    INT32_MAX,
    UINT32_MAX,
    Walk,
    collapsed,
    walk_memory,
    walk_strides,
)
from pytest_applegpu.routing.formats import converted, promoted
from pytest_applegpu.routing.launch import Launch, Tape


def arithmetic(tape: Tape, op: str, a: Array, b: Array) -> Array:
    """Return the result of `op` on operands of any format and shape that broadcast."""
    dtype = promoted(a.dtype, b.dtype)
    return binary(tape, op, converted(tape, a, dtype), converted(tape, b, dtype))


def binary(tape: Tape, op: str, a: Array, b: Array) -> Array:
    """Return the result of `op`, such as `Multiply`, on operands of one format.

    They are broadcast against each other. One number, or memory without gaps in the same order, is
    walked over element by element, and the result lies as its operand does; all else goes by
    strides, and its result is row-major.
    """
    shape = together(a.shape, b.shape)
    return binary_into(tape, op, broadcast_to(a, shape), broadcast_to(b, shape))


def binary_into(tape: Tape, op: str, a: Array, b: Array) -> Array:
    """Return the result of `op` in the shape of `a`, on operands that are not broadcast."""
    kind, like = _kind(a, b)
    if kind == "g":
        out = dense(a.shape, a.dtype)
        if a.size:
            tape.add(_strided(op, a, broadcast_to(b, a.shape), out))
        return out
    size = 1 if kind == "ss" else like.data_size
    out = Array(a.shape, like.strides, a.dtype, data_size=size)
    if a.size:
        tape.add(_linear(kind, op, out))
    return out


def _kind(a: Array, b: Array) -> tuple[str, Array]:
    """Return the letters of the kernel, and the operand whose memory the result is laid like."""
    if a.data_size == 1 and b.data_size == 1:
        return "ss", a
    if a.data_size == 1 and b.contiguous:
        return "sv", b
    if b.data_size == 1 and a.contiguous:
        return "vs", a
    rows = a.row_contiguous and b.row_contiguous
    return "vv" if rows or (a.col_contiguous and b.col_contiguous) else "g", a


def _linear(kind: str, op: str, out: Array) -> Launch:
    walk = walk_memory(kind, out, large=out.data_size > UINT32_MAX)
    return walked(walk, f"{op}{out.dtype}")


def _strided(op: str, a: Array, b: Array, out: Array) -> Launch:
    shape, _ = collapsed(a.shape, a.strides, b.strides, out.strides)
    large = a.data_size > INT32_MAX or b.data_size > INT32_MAX or out.size > INT32_MAX
    return walked(walk_strides(shape, large=large), f"{op}{a.dtype}")


def walked(walk: Walk, stem: str) -> Launch:
    """Return the elementwise launch that goes over its arrays as `walk` says."""
    kernel = f"{walk.name}_{stem}"
    return Launch(
        kernel, "elementwise", walk.grid, walk.group, "threads", label="elementwise", staged=0
    )


def number(dtype: str) -> Array:
    """Return an array of one number without axes."""
    return Array((), dense_strides(()), dtype)
