"""Which hard spots has `matmul`?

Sizes of 0 and 1, vectors, whole tiles, long reductions, an output of a million elements, thousands
in one dimension, special values, repetition. Each list is in the order in which it is run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_applegpu.cases.planned import Planned
from pytest_applegpu.dtypes import DType
from pytest_applegpu.problem import TRANSPOSES, Problem


def corners(op: str, dtype: DType) -> Iterator[Planned]:
    """Yield the corner cases of one operation in one format."""
    yield from _empty(op, dtype)
    yield from _vectors(op, dtype)
    yield from _aligned(op, dtype)
    yield from _long(op, dtype)
    yield from _wide(op, dtype)
    yield from _rounded(op, dtype)
    yield from _special(op, dtype)
    yield from _repeated(op, dtype)


def _empty(op: str, dtype: DType) -> Iterator[Planned]:
    for m, n, k in ((0, 4, 5), (4, 0, 5), (4, 5, 0), (0, 0, 0), (1, 1, 0)):
        yield Problem(op, dtype, m, n, k), "integer", "exact"
    yield Problem(op, dtype, 3, 4, 5, batch_a=(0,), batch_b=(0,)), "integer", "exact"


_LINES: Final = (
    (1, 1, 1),
    (1, 1, 4096),
    (1, 513, 1023),
    (1023, 1, 513),
    (1, 4097, 64),
    (1, 33, 8191),
    (33, 1, 8191),
)
"""Sizes of vectors and matrices: long ones, wide ones, and with a tail of every block of K."""


def _vectors(op: str, dtype: DType) -> Iterator[Planned]:
    for m, n, k in _LINES:
        for transpose in TRANSPOSES:
            yield Problem(op, dtype, m, n, k, transpose), "integer", "exact"
        yield Problem(op, dtype, m, n, k, "nt"), "normal", "bounded"
    yield Problem(op, dtype, 1, 65, 129, layout_a="vec"), "integer", "exact"
    yield Problem(op, dtype, 65, 1, 129, layout_b="vec"), "integer", "exact"
    yield Problem(op, dtype, 1, 1, 129, layout_a="vec", layout_b="vec"), "integer", "exact"


def _aligned(op: str, dtype: DType) -> Iterator[Planned]:
    """Whole tiles in every dimension take the variants without edge checks, in each transpose."""
    for transpose in TRANSPOSES:
        for m, n, k in ((64, 64, 64), (128, 64, 256), (64, 192, 16), (128, 128, 528)):
            yield Problem(op, dtype, m, n, k, transpose), "integer", "exact"
        yield Problem(op, dtype, 128, 128, 512, transpose), "normal", "bounded"
        yield Problem(op, dtype, 64, 64, 32, transpose, (8,), (8,)), "integer", "exact"
    yield Problem(op, dtype, 512, 512, 512, "tn"), "integer", "projection"
    yield Problem(op, dtype, 512, 640, 512, "nt"), "integer", "projection"


def _long(op: str, dtype: DType) -> Iterator[Planned]:
    for k in (1023, 1024, 1025, 2048):
        yield Problem(op, dtype, 18, 33, k, "nt"), "integer", "exact"
    for m, n, k in ((16, 17, 4096), (33, 8, 8192)):
        for transpose in TRANSPOSES:
            yield Problem(op, dtype, m, n, k, transpose), "integer", "exact"
        yield Problem(op, dtype, m, n, k), "cancel", "exact"
        yield Problem(op, dtype, m, n, k, "nt"), "uniform", "bounded"
        yield Problem(op, dtype, m, n, k, "tn"), "normal", "bounded"


def _wide(op: str, dtype: DType) -> Iterator[Planned]:
    yield Problem(op, dtype, 1024, 1024, 16), "integer", "projection"
    yield Problem(op, dtype, 1025, 1023, 17, "nt"), "integer", "exact"
    yield Problem(op, dtype, 2049, 33, 64, "tn"), "onehot", "exact"
    yield Problem(op, dtype, 7, 3073, 31, "tt"), "onehot", "exact"
    yield Problem(op, dtype, 320, 384, 352, "nt"), "integer", "projection"


def _rounded(op: str, dtype: DType) -> Iterator[Planned]:
    """Sums that fit the accumulator and not the output, and half accumulators that overflow."""
    for transpose in ("nn", "tt"):
        yield Problem(op, dtype, 65, 66, 130, transpose), "round", "exact"
    yield Problem(op, dtype, 48, 40, 600, "nt"), "cancel", "exact"
    yield Problem(op, dtype, 33, 31, 130, "nt"), "large", "bounded"


def _special(op: str, dtype: DType) -> Iterator[Planned]:
    shapes = ((33, 34, 35), (64, 64, 64), (1, 64, 128), (64, 1, 128), (5, 7, 588))
    for m, n, k in shapes:
        for transpose in ("nn", "nt"):
            yield Problem(op, dtype, m, n, k, transpose), "special", "isolation"
    yield Problem(op, dtype, 9, 17, 33, batch_a=(2, 3), batch_b=(2, 3)), "special", "isolation"


def _repeated(op: str, dtype: DType) -> Iterator[Planned]:
    for m, n, k in ((64, 64, 64), (1, 512, 512), (129, 65, 257)):
        yield Problem(op, dtype, m, n, k, "nt"), "normal", "repeat"
    yield Problem(op, dtype, 31, 33, 64, batch_a=(5,), batch_b=(5,)), "normal", "repeat"
