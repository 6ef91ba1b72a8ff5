"""Which matrices are multiplied with which: indices, and the kernels that make them."""

from __future__ import annotations

from math import prod

from pytest_applegpu.routing.arrays import Array, Shape, broadcast_to, dense
from pytest_applegpu.routing.broadcasting import together
from pytest_applegpu.routing.copies import MOST_THREADS
from pytest_applegpu.routing.launch import Launch, Tape


def arange(dtype: str, size: int) -> Launch:
    """Return the launch that writes 0, 1, 2, ... `size` - 1; not launched where `size` is 0."""
    group = (min(size, MOST_THREADS), 1, 1)
    return Launch(f"arange{dtype}", "index", (size, 1, 1), group, "threads")


def offsets(groups: int) -> Launch:
    """Return the launch that finds where each of `groups` matrices begins in sorted indices."""
    group = (min(groups, MOST_THREADS), 1, 1)
    return Launch("gather_mm_offsets", "index", (groups, 1, 1), group, "threads")


def gathered(tape: Tape, batch: Shape, given: Shape | None) -> Array:
    """Return the indices of one operand, made by MLX where none are given.

    Made ones count an operand's matrices in order, in the shape of its batch axes `batch`.
    """
    if given is not None:
        return dense(given, "uint32")
    size = prod(batch)
    if size:
        tape.add(arange("uint32", size))
    return dense(batch, "uint32")


def broadcast(one: Array, other: Array) -> tuple[Array, Array]:
    """Return two index arrays in their common shape.

    Raises:
        Refused: the shapes do not broadcast.
    """
    shape = together(one.shape, other.shape)
    return broadcast_to(one, shape), broadcast_to(other, shape)
