"""Which kernels widen the head dimension with zeros before attention, and narrow it after?"""

from __future__ import annotations

from dataclasses import replace

from pytest_applegpu.routing.arrays import Array, Shape, dense, dense_strides
from pytest_applegpu.routing.copies import fill, general_copy
from pytest_applegpu.routing.launch import Launch, Tape


def pad(tape: Tape, array: Array, dim: int) -> Array:
    """Copy `array` into zeros of head dimension `dim`: a fill, and a copy between strides."""
    wide = dense((*array.shape[:-1], dim), array.dtype)
    fill(tape, wide)
    if array.size:
        tape.add(between_strides(array, _part(wide, array.shape)))
    return wide


def unpad(tape: Tape, wide: Array, out: Array) -> None:
    """Copy what `out` wants of the padded result, between strides."""
    if out.size:
        tape.add(between_strides(_part(wide, out.shape), out))


def between_strides(array: Array, out: Array) -> Launch:
    """Return the copy of `array` to `out`, whose strides need not be those of a dense array."""
    plain = general_copy(array, out)
    return replace(plain, kernel=f"g{plain.kernel}")


def _part(wide: Array, shape: Shape) -> Array:
    return Array(shape, dense_strides(wide.shape), wide.dtype, wide.offset, wide.data_size)
