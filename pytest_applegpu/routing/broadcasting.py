"""Which shape do operands have together, and what does MLX say where they have none?"""

from __future__ import annotations

from pytest_applegpu.routing.arrays import Array, Shape, broadcast_shape, broadcast_to
from pytest_applegpu.routing.checks import shape_words
from pytest_applegpu.routing.launch import Refused


def together(one: Shape, other: Shape) -> Shape:
    """Return the shape that both broadcast to.

    Raises:
        Refused: they do not.
    """
    try:
        return broadcast_shape(one, other)
    except ValueError:
        raise Refused(
            f"[broadcast_shapes] Shapes {shape_words(one)} and {shape_words(other)} "
            "cannot be broadcast."
        ) from None


def into(array: Array, shape: Shape) -> Array:
    """Return `array` broadcast to exactly `shape`.

    Raises:
        Refused: it does not broadcast, or to a larger shape only.
    """
    if together(array.shape, shape) != shape:
        raise Refused(
            f"Cannot broadcast array of shape {shape_words(array.shape)} "
            f"into shape {shape_words(shape)}."
        )
    return broadcast_to(array, shape)


def batches_together(a: Array, b: Array) -> tuple[Array, Array]:
    """Return two matrices, or batches of them, with the same batch axes.

    An operand that is broadcast gets stride 0 on every axis of size 1, rows and columns as well.

    Raises:
        Refused: their batch axes do not broadcast.
    """
    if a.ndim == b.ndim == 2:
        return a, b
    batch = together(a.shape[:-2], b.shape[:-2])
    return broadcast_to(a, batch + a.shape[-2:]), broadcast_to(b, batch + b.shape[-2:])
