"""What is the right result of a case, told so that a program can hold MLX's own to it?"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Final

import numpy as np

from pytest_applegpu.bundle.script import EVERY_NAN, EVERY_SPECIAL, RIGHT
from pytest_applegpu.cases.case import Case
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.numerics.bounds import Arithmetic
from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.numerics.held import Held, Judge
from pytest_applegpu.numerics.proof import Expectation, expect_bounded, expect_exact
from pytest_applegpu.numerics.rounding import Array, larger_part
from pytest_applegpu.numerics.special import expected_isolation
from pytest_applegpu.operations.drawn import Drawn

_SAID: Final = {"matmul": "np.matmul(a, b)"}
"""Operations whose right result NumPy has a short expression for."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A right result: an expression of NumPy's or numbers, what is allowed, and what of NaN."""

    reference: str
    right: Array | None = None
    allowed: Array | None = None
    both: str = EVERY_NAN


def wanted(case: Case, drawn: Drawn, arithmetic: Arithmetic) -> Wanted | None:
    """Return what the result of `case` is held to; None where that is no single array."""
    if drawn.judge is not None:
        return _held(drawn.judge)
    check = FILLS[case.fill].check if case.check == "repeat" else case.check
    if check == "isolation":
        return _isolated(case, drawn)
    if check != "bounded":
        return _exact(case, drawn)
    expectation, size = expect_bounded(
        drawn.A,
        drawn.B,
        case.problem.dtype,
        arithmetic,
        epilogue=drawn.epilogue,
        weights=drawn.weights,
    )
    allowed = _allowed(expectation, size).reshape(case.problem.shape_c)
    if case.problem.op in _SAID:
        return Wanted(_SAID[case.problem.op], allowed=allowed)
    return Wanted(RIGHT, expectation.exact.reshape(case.problem.shape_c), allowed)


def _exact(case: Case, drawn: Drawn) -> Wanted:
    if case.problem.op in _SAID:
        return Wanted(_SAID[case.problem.op])
    right = expect_exact(drawn.A, drawn.B, case.problem.dtype, drawn.epilogue).expected
    return Wanted(RIGHT, right.reshape(case.problem.shape_c))


def _isolated(case: Case, drawn: Drawn) -> Wanted:
    # BLAS may skip zeros, and 0 x Inf with them: no short expression is right.
    right = drawn.epilogue.apply(expected_isolation(drawn.A, drawn.B))
    both = EVERY_SPECIAL if case.problem.dtype.is_complex else EVERY_NAN
    return Wanted(RIGHT, right.reshape(case.problem.shape_c), both=both)


def _held(judge: Judge) -> Wanted | None:
    if not isinstance(judge, Held):
        return None
    expectation = judge.expectation
    right = expectation.expected.reshape(judge.shape)
    if not expectation.bounded:
        return Wanted(RIGHT, right)
    allowed = _allowed(expectation, np.zeros(expectation.exact.shape)).reshape(judge.shape)
    return Wanted(RIGHT, right, allowed)


def _allowed(expectation: Expectation, size: Array) -> Array:
    """Return how far off each element may be, infinite where it may overflow.

    Where a result is subnormal, zero is right too.
    """
    dtype = expectation.dtype
    largest = DTYPES["float64" if dtype.name == "float64" else "float32"].largest
    exact, allowed = larger_part(expectation.exact), expectation.allowed
    small = (allowed > 0) & (exact < dtype.smallest_normal + allowed)
    flushed = np.where(small, np.maximum(allowed, exact), allowed)
    over = (exact + allowed >= dtype.largest) | (size + allowed >= largest)
    return np.where(over & (allowed > 0), inf, flushed)
