"""How does an operand of a recorded case lie in memory? From the words of the recordings."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Final

from pytest_applegpu.routing.arrays import (
    Array,
    Shape,
    broadcast_to,
    dense,
    dense_strides,
    transposed,
)

GAP: Final = 8
"""Elements of `pad` and `off` where no number is said."""

WORDS: Final = ("pad:N", "tpad:N", "off:N", "toff:N", "step", "bc", "tbc", "headt", "bslice", "t")

_TRANSPOSED: Final = frozenset({"tpad", "toff", "tbc"})


def operand(shape: Shape, dtype: str, layout: str | None, *, transpose: bool) -> Array:
    """Return the operand of logical `shape`.

    Raises:
        ValueError: the layout is none of `WORDS`, or does not go with `transpose`.
    """
    word, _, number = (layout or "").partition(":")
    if word in _TRANSPOSED and not transpose:
        raise ValueError(f"layout {word!r} is that of an operand with transpose true")
    if transpose and len(shape) > 1:
        stored = (*shape[:-2], shape[-1], shape[-2])
        return transposed(_stored(stored, dtype, word.removeprefix("t"), number))
    return _stored(shape, dtype, word, number)


def _stored(shape: Shape, dtype: str, word: str, number: str) -> Array:
    if word not in _STORED:
        raise ValueError(f"layout {word!r} is not one of {', '.join(WORDS)}")
    if number and not (number.isascii() and number.isdigit()):
        raise ValueError(f"layout {word}:{number} needs a whole number, as in {word}:8")
    return _STORED[word](shape, dtype, int(number) if number else GAP)


def _plain(shape: Shape, dtype: str, _: int) -> Array:
    return dense(shape, dtype)


def _padded(shape: Shape, dtype: str, gap: int) -> Array:
    return _spanned(shape, dense_strides((*shape[:-1], shape[-1] + gap)), dtype)


def _late(shape: Shape, dtype: str, gap: int) -> Array:
    return Array(shape, dense_strides(shape), dtype, offset=gap)


def _stepped(shape: Shape, dtype: str, _: int) -> Array:
    strides = dense_strides((*shape[:-1], 2 * shape[-1]))
    step = 1 if shape[-1] == 1 else 2  # MLX takes the step of an axis of one element for 1
    return _spanned(shape, (*strides[:-1], step), dtype)


def _broadcast(shape: Shape, dtype: str, _: int) -> Array:
    return broadcast_to(dense(shape[-2:], dtype), shape)


def _sliced(shape: Shape, dtype: str, _: int) -> Array:
    return _spanned(shape, dense_strides((shape[0], 2 * shape[1], *shape[2:])), dtype)


def _turned(shape: Shape, dtype: str, _: int) -> Array:
    return transposed(dense((*shape[:-2], shape[-1], shape[-2]), dtype))


def _heads(shape: Shape, dtype: str, _: int) -> Array:
    """Return the array whose axes -3 and -2 lie exchanged."""
    stored = (*shape[:-3], shape[-2], shape[-3], shape[-1])
    strides = dense_strides(stored)
    return Array(shape, (*strides[:-3], strides[-2], strides[-3], strides[-1]), dtype)


def _spanned(shape: Shape, strides: Shape, dtype: str) -> Array:
    """Return a slice, which is dense where it has no elements."""
    if prod(shape) == 0:
        return dense(shape, dtype)
    span = 1 + sum((n - 1) * abs(s) for n, s in zip(shape, strides, strict=True))
    return Array(shape, strides, dtype, data_size=span)


_STORED: Final[dict[str, Callable[[Shape, str, int], Array]]] = {
    "": _plain,
    "pad": _padded,
    "off": _late,
    "step": _stepped,
    "bc": _broadcast,
    "headt": _heads,
    "bslice": _sliced,
    "t": _turned,
}
