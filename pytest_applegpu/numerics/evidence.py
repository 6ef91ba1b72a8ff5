"""Which elements does a cause have to explain, and does a guess explain them?

A sample is enough: the rows and columns round the worst element, the ends, and some in between,
of the matrix in which the worst element lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.bounds import Arithmetic, limit
from pytest_applegpu.numerics.reference import magnitude
from pytest_applegpu.numerics.rounding import Array, larger_part, round_to, widen

_ROWS: Final = 48
_COLS: Final = 128
_NEAR: Final = 3

_MOST_CLOSE: Final = 0.99
"""Share of elements that a guess must give to within the slack."""

_MANY: Final = 16

_MUCH_SMALLER: Final = 0.25
"""A guess about real-valued data fits if it leaves no more than this share of the error."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sample of one matrix of a result: float64 or complex128, in the order of the result.

    Attributes:
        dtype: format of operands and result.
        arithmetic: what the route promises.
        A: the whole first operand of this matrix (M, K), as stored.
        B: the whole second operand (K, N), as stored.
        C: the whole result (M, N), as stored.
        rows: sampled rows of A and C.
        cols: sampled columns of B and C.
        a: sampled rows of A, widened.
        b: sampled columns of B, widened.
        got: sampled result.
        exact: the product of `a` and `b`.
        slack: what honest summation may do to each element; zeros for data that are exact.
        wrong: which sampled elements are to be explained.
    """

    dtype: DType
    arithmetic: Arithmetic
    A: Array
    B: Array
    C: Array
    rows: Array
    cols: Array
    a: Array
    b: Array
    got: Array
    exact: Array
    slack: Array
    wrong: Array

    @property
    def k(self) -> int:
        """Length of the sums."""
        return int(self.a.shape[1])

    @property
    def many(self) -> bool:
        """Whether the sample has elements enough to refute a guess that is one of a hundred.

        Each element off by one spacing agrees with such a guess in half of all cases.
        """
        return self.got.size >= _MANY

    @property
    def strict(self) -> bool:
        """Whether honest summation of these data is exact, so that a guess must give the bits."""
        return not self.slack.any()

    def spot(self, most: int) -> tuple[Array, Array]:
        """Choose up to `most` places, half of them wrong ones where there are that many."""
        wrong, every = np.flatnonzero(self.wrong), np.arange(self.wrong.size)
        picked = [
            places[np.linspace(0, len(places) - 1, most // 2).astype(np.int64)]
            for places in (wrong, every)
            if len(places)
        ]
        rows, cols = np.unravel_index(np.unique(np.concatenate(picked)), self.wrong.shape)
        return rows, cols

    def is_product(self, a: Array, b: Array, spot: Any = np.s_[...]) -> bool:
        """Whether what was got at `spot` is the product of other operands, honestly summed."""
        return self.fits(*_summed(a, b, self.dtype, self.arithmetic), spot)

    def fits(self, guess: Array, slack: Array, spot: Any = np.s_[...]) -> bool:
        """Whether `guess`, once rounded to the output, is what was got at `spot` of the sample.

        To the bit where there is no `slack`; else nearly everywhere to within it, and leaving but
        a small part of the error.
        """
        got, exact = self.got[spot], self.exact[spot]
        rounded = round_to(guess, self.dtype)
        finite = np.isfinite(rounded) & np.isfinite(got)
        same = alike(rounded, got)
        if same.all() or not slack.any():
            return bool(same.all() and finite.any())
        with np.errstate(invalid="ignore", over="ignore"):
            residual, error = larger_part(got - rounded), larger_part(got - exact)
            close = same | (residual <= slack)
        left, there = (root_mean_square(x[finite]) for x in (residual, error))
        wrong = self.wrong[spot]
        # What is right is explained by any guess near it: the wrong ones have to be as well.
        near = close.mean() >= _MOST_CLOSE and close[wrong].mean() >= _MOST_CLOSE
        return bool(near and left <= _MUCH_SMALLER * there)


def alike(x: Array, y: Array) -> Array:
    """Where two arrays hold the same number: NaN only where NaN, Inf only of the same sign."""
    if x.dtype.kind == "c" or y.dtype.kind == "c":
        both: Array = alike(x.real, y.real) & alike(x.imag, y.imag)
        return both
    same: Array = (x == y) | (np.isnan(x) & np.isnan(y))
    return same


def root_mean_square(x: Array) -> float:
    """Return the root of the mean square, whatever the range of `x`; 0 of nothing."""
    largest = float(np.abs(x).max(initial=0.0))
    if largest in {0.0, np.inf}:
        return largest
    return largest * float(np.sqrt(np.square(x / largest).mean()))


def gather(
    matrices: tuple[Array, Array, Array],
    worst: tuple[int, int],
    dtype: DType,
    arithmetic: Arithmetic,
) -> Evidence:
    """Sample the matrices (A, B, C) of shapes (M, K), (K, N), (M, N) round the worst element."""
    A, B, C = matrices
    rows, cols = _choose(C.shape[0], worst[0], _ROWS), _choose(C.shape[1], worst[1], _COLS)
    a, b = widen(A[rows]), widen(B[:, cols])
    got = widen(C[np.ix_(rows, cols)])
    exact, slack = _summed(a, b, dtype, arithmetic)
    with np.errstate(invalid="ignore", over="ignore"):
        wrong = ~(larger_part(got - exact) <= slack)
    due = alike(got, round_to(exact, dtype))
    wrong = wrong & ~due if slack.any() else ~due
    return Evidence(dtype, arithmetic, A, B, C, rows, cols, a, b, got, exact, slack, wrong)


def _summed(a: Array, b: Array, dtype: DType, arithmetic: Arithmetic) -> tuple[Array, Array]:
    """Return the product and what honest summation may do to it: nothing to exact sums."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        exact = a @ b
        if _sums_are_exact(a, b, exact, dtype):
            return exact, np.zeros(exact.shape)
        return exact, limit(arithmetic, dtype, exact, magnitude(a, b), a.shape[1])


def _choose(size: int, centre: int, most: int) -> Array:
    """Choose up to about `most` indices: all, or those near `centre`, at the ends and between."""
    if size <= most:
        return np.arange(size)
    near = np.arange(max(centre - _NEAR, 0), min(centre + _NEAR + 1, size))
    ends = np.concatenate([np.arange(_NEAR), np.arange(size - _NEAR, size)])
    between = np.linspace(0, size - 1, most - len(near) - len(ends)).astype(np.int64)
    return np.unique(np.concatenate([near, ends, between]))


def _sums_are_exact(a: Array, b: Array, exact: Array, dtype: DType) -> bool:
    """Whether the accumulator's own precision gives the exact sums (float64: in both orders)."""
    if dtype.name == "float64":
        return bool(np.array_equal(a[:, ::-1] @ b[::-1], exact))
    narrow = np.complex64 if dtype.is_complex else np.float32
    return bool(np.array_equal(a.astype(narrow) @ b.astype(narrow), exact))
