"""Which copy kernels bring an operand into another form, and on which grid?"""

from __future__ import annotations

from math import prod
from typing import Final, NamedTuple

from pytest_applegpu.routing.arrays import ITEMSIZE, Array, Shape, dense
from pytest_applegpu.routing.launch import Launch, Tape, Triple

INT32_MAX: Final = 2**31 - 1
UINT32_MAX: Final = 2**32 - 1
MOST_THREADS: Final = 1024
"""Threads of a threadgroup; a pipeline on a real device may allow fewer."""

_SPECIALISED: Final = 3
"""Dimensions up to which a strided copy has a kernel of its own."""


def ceil_div(size: int, by: int) -> int:
    """Return the quotient rounded up."""
    return -(-size // by)


def block_dims(dim0: int, dim1: int, dim2: int, pow2: int = 10) -> Triple:
    """Return the threadgroup of at most 2**`pow2` threads: powers of 2, grown axis by axis."""
    dims = (dim0, dim1, dim2)
    powers = [0, 0, 0]
    total = 0
    while True:
        before = total
        for axis in range(3):
            if dims[axis] >= 1 << (powers[axis] + 1):
                powers[axis] += 1
                total += 1
            if total == pow2:
                break
        if total in {before, pow2}:
            return 1 << powers[0], 1 << powers[1], 1 << powers[2]


def grid_2d(shape: Shape, strides: Shape, per_thread: int = 1) -> Triple:
    """Return two axes of threads, each within 32 bits, for `per_thread` elements a thread.

    Axes are multiplied up in turn; broadcast ones (stride 0) do not count. The longer one is first.
    """
    x, y, left = 1, 1, per_thread
    for size, stride in zip(shape, strides, strict=True):
        if stride == 0:
            continue
        if left % size == 0:
            left //= size
            continue
        x, y = (x * size, y) if x * size < UINT32_MAX else (x, y * size)
        if left > 1 and x % left == 0:
            x, left = x // left, 1
        elif left > 1 and y % left == 0:
            y, left = y // left, 1
    x, y = max(x, y), min(x, y)
    return (ceil_div(x, left) * left if left > 1 else x), y, 1


def collapsed(
    shape: Shape, *strides: Shape, most: int = INT32_MAX
) -> tuple[Shape, tuple[Shape, ...]]:
    """Merge neighbouring axes where every stride list allows it, and drop those of size 1.

    Two axes merge when the outer stride is the inner one times the inner size, and no more than
    `most` elements come together. An axis of size 1 merges or separates by its stride like any
    other. What is left without axes is one of size 1 and stride 0.
    """
    runs: list[list[int]] = [[]]
    size = 1
    for axis, length in enumerate(shape):
        size *= length
        if axis and not (
            size <= most and all(one[axis] * length == one[axis - 1] for one in strides)
        ):
            runs.append([])
            size = length
        if length != 1:
            runs[-1].append(axis)
    kept = [run for run in runs if run]
    if not kept:
        return (1,), tuple((0,) for _ in strides)
    sizes = tuple(prod(shape[axis] for axis in run) for run in kept)
    return sizes, tuple(tuple(one[run[-1]] for run in kept) for one in strides)


def contiguous_copy(tape: Tape, array: Array) -> Array:
    """Copy `array` to row-major memory of its own; nothing is launched for no elements."""
    out = dense(array.shape, array.dtype)
    if out.size:
        tape.add(general_copy(array, out))
    return out


def row_contiguous(tape: Tape, array: Array) -> Array:
    """Return `array`, copied where it is not row-major without gaps."""
    return array if array.row_contiguous else contiguous_copy(tape, array)


def general_copy(array: Array, out: Array) -> Launch:
    """Return the strided copy of `array` into row-major `out`."""
    shape, _ = collapsed(array.shape, array.strides, out.strides)
    large = array.data_size > INT32_MAX or out.data_size > INT32_MAX
    return _copy(walk_strides(shape, large=large), array.dtype, out.dtype)


class Walk(NamedTuple):
    """How an elementwise kernel goes over its arrays: its name's first part, grid and group."""

    name: str
    grid: Triple
    group: Triple


def walk_strides(shape: Shape, *, large: bool) -> Walk:
    """Return the walk by strides over collapsed axes; `large` takes 64-bit indices."""
    dim0 = shape[-1]
    dim1 = shape[-2] if len(shape) > 1 else 1
    rest = prod(shape) // max(dim0 * dim1, 1)
    name = f"g{len(shape)}"
    if len(shape) > _SPECIALISED:
        per_thread = 4 if large else 2
        name = f"gn{per_thread}"
        dim0 = ceil_div(dim0, per_thread)
    grid = dim0, dim1, rest
    return Walk(f"{name}large" if large else name, grid, block_dims(*grid))


def walk_memory(name: str, out: Array, *, large: bool) -> Walk:
    """Return the walk over memory without gaps, one element after another."""
    per_thread = work_per_thread(out.dtype, out.data_size)
    threads = ceil_div(out.data_size, per_thread)
    grid = grid_2d(out.shape, out.strides, per_thread) if large else (threads, 1, 1)
    name += "2" if large else "n" if per_thread > 1 else ""
    return Walk(name, grid, (min(MOST_THREADS, threads), 1, 1))


def scalar_copy(source: str, target: str) -> Launch:
    """Return the copy of one element between formats."""
    return _copy(Walk("s", (1, 1, 1), (1, 1, 1)), source, target)


def fill(tape: Tape, out: Array) -> None:
    """Write down the launch that fills dense `out` with one value, if it has elements."""
    if out.size:
        tape.add(_linear("s", out.dtype, out))


def vector_copy(array: Array, dtype: str) -> Launch:
    """Return the copy of an array without gaps, one element after another, between formats."""
    return _linear("v", array.dtype, Array(array.shape, array.strides, dtype, 0, array.data_size))


def _linear(name: str, source: str, out: Array) -> Launch:
    return _copy(walk_memory(name, out, large=out.data_size > UINT32_MAX), source, out.dtype)


def work_per_thread(dtype: str, size: int) -> int:
    """Return how many elements a thread of an elementwise kernel takes: 8 bytes of large arrays."""
    return 1 if size < 1 << 16 else max(1, 8 // ITEMSIZE[dtype])


def _copy(walk: Walk, source: str, target: str) -> Launch:
    kernel = f"{walk.name}_copy{source}{target}"
    return Launch(kernel, "copy", walk.grid, walk.group, "threads", label="copy")
