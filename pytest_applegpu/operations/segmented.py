"""`segmented_mm`: a product for each segment of K."""

from __future__ import annotations

from typing import Final

import numpy as np

from pytest_applegpu.numerics.epilogue import Epilogue
from pytest_applegpu.numerics.rounding import Array
from pytest_applegpu.operations.drawn import Drawn, Pencil

_SHARE: Final = 2
"""How much smaller exact sums are, where each segment is given an end of its own."""


def segmented_mm(pencil: Pencil) -> Drawn:
    """Draw both operands and the segments, of shape (segments, 2): first of K, one past the last.

    The product that is meant has matrices for each segment that are zero outside it: what is
    there counts for nothing, NaN included.
    """
    problem = pencil.problem
    A, B = pencil.pair(_SHARE)
    segments = _segments(pencil, int(problem.param("parts")), problem.k)
    A = _ended(A, segments) if pencil.is_exact else A
    k = np.arange(problem.k)
    inside = (segments[:, :1] <= k) & (k < segments[:, 1:])
    left = np.where(inside[:, None, :], A[None], np.zeros((), A.dtype))
    right = np.where(inside[:, :, None], B[None], np.zeros((), B.dtype))
    last = tuple(int(stop) - 1 if stop > start else -1 for start, stop in segments)
    return Drawn((A, B, segments.astype(np.uint32)), left, right, Epilogue(last=last))


def _ended(A: Array, segments: Array) -> Array:
    """Return A with something in the last column of each segment, which thinning may have taken."""
    ends = segments[segments[:, 1] > segments[:, 0], 1] - 1
    ended = A.copy()
    if A.size:
        ended[0, ends] = np.where(A[0, ends] == 0, 1, A[0, ends])
    return ended


def _segments(pencil: Pencil, count: int, k: int) -> Array:
    rng, cut = pencil.rng, pencil.problem.param("cut")
    if cut == "overlap":
        return np.sort(rng.integers(0, k + 1, (count, 2)), axis=1)
    if cut == "even":
        edges = np.linspace(0, k, count + 1).astype(np.int64)
    else:
        inner = np.sort(rng.integers(0, k + 1, max(count - 1, 0)))
        if cut == "empty":
            inner[1::2] = inner[: len(inner) - 1 : 2]  # every second segment is empty
        edges = np.concatenate([[0], np.sort(inner), [k]]) if count else np.zeros(1, np.int64)
    return np.stack([edges[:-1], edges[1:]], axis=1)
