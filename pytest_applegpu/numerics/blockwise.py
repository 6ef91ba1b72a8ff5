"""How is a large matrix multiplied by a few vectors in float64, without widening all of it?

Rows are widened a block at a time into a buffer that stays in the cache; a product with a vector
then takes little longer than reading the matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from pytest_applegpu.numerics.rounding import Array, widen

_BLOCK: Final = 2**18
"""Elements widened at a time: 2 MiB."""

_FEW: Final = 8


def blocks(X: Array) -> Iterator[tuple[slice, Array]]:
    """Yield X (R, S) by blocks of rows, in float64 or complex128; each is gone with the next."""
    rows = max(1, _BLOCK // max(X.shape[1], 1))
    cast = X.dtype.kind in "fc"
    wide = np.complex128 if X.dtype.kind == "c" else np.float64
    buffer = np.empty((min(rows, len(X)), X.shape[1]) if cast else (0, 0), wide)
    for start in range(0, len(X), rows):
        span = slice(start, min(start + rows, len(X)))
        block = buffer[: span.stop - start] if cast else widen(X[span])
        if cast:
            np.copyto(block, X[span])
        yield span, block


def times(X: Array, vector: Array) -> Array:
    """Return X (R, S) times a vector (S,)."""
    result = np.empty(len(X), np.result_type(vector, np.complex64 if X.dtype.kind == "c" else "f4"))
    for span, block in blocks(X):
        result[span] = block @ vector
    return result


def times_checked(X: Array, vector: Array) -> tuple[Array, Array]:
    """Return X times a vector, and which rows of X hold anything but integers."""
    result = np.empty(len(X), np.result_type(vector, np.complex64 if X.dtype.kind == "c" else "f4"))
    fractional = np.empty(len(X), bool)
    scratch = np.empty((0, 0))
    for span, block in blocks(X):
        result[span] = block @ vector
        parts = block.view(np.float64)
        if len(scratch) < len(parts):
            scratch = np.empty_like(parts)
        np.rint(parts, out=scratch[: len(parts)])
        fractional[span] = ~(scratch[: len(parts)] == parts).all(axis=1)
    return result, fractional


def left_times(rows: Array, X: Array) -> Array:
    """Return a few rows (Q, R) times X (R, S)."""
    kind = np.complex64 if X.dtype.kind == "c" else np.float32
    result = np.zeros((len(rows), X.shape[1]), np.result_type(rows, kind))
    for span, block in blocks(X):
        if len(rows) > _FEW:
            result += rows[:, span] @ block
            continue
        # One row at a time: a matrix product of so few rows wakes every thread for nothing.
        for number, row in enumerate(rows):
            result[number] += row[span] @ block
    return result
