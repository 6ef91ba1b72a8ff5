"""Is a result right that is no plain product? It is held to numbers, each within its own bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.bounds import excused
from pytest_applegpu.numerics.compare import Comparison, compare_bounded, compare_exact, misshapen
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.proof import Expectation, prove_places
from pytest_applegpu.numerics.rounding import Array, round_to, widen


class Judge(Protocol):
    """What the arrays that came of a call are held to."""

    def judge(self, parts: Sequence[Array]) -> Finding:
        """Say what was found; `parts` are the arrays that the call gave, mostly one."""

    def prove(self) -> str | None:
        """Return why a right result would prove nothing, or None."""


@dataclass(frozen=True, slots=True)
class Held:
    """A single array, held to what is expected of it.

    Attributes:
        expectation: format, exact numbers and how far off each may be.
        shape: shape that MLX gives it, with as many elements in the same order.
        lost: what the result would lose with the last of what is added up; None where nothing is.
        telling: rows, a mask of the expected shape without its last axis, that depend on what was
            drawn; None where all do.
        axes: axes along which swapping two neighbours has to show.
        faults: further faults that have to show, in words, and what the result loses by each.
    """

    expectation: Expectation
    shape: tuple[int, ...]
    lost: Array | None = None
    telling: Array | None = None
    axes: tuple[int, ...] = (-2, -1)
    faults: tuple[tuple[str, Array], ...] = ()

    def judge(self, parts: Sequence[Array]) -> Finding:
        """Hold the only array to what is expected."""
        finding = judge_against(self.expectation, self.shape, parts)
        reason = self.prove() if finding.passed else None
        return replace(finding, verdict="no proof", detail=reason) if reason else finding

    def prove(self) -> str | None:
        """Return the first fault that would go unseen, or None."""
        expected = self.expectation
        if not expected.exact.size:
            return None
        if self.lost is not None and not _lost_shows(self.lost, expected):
            return "dropping the last of what is added up would not be seen"
        for said, lost in self.faults:
            if not _lost_shows(lost, expected):
                return f"{said} would not be seen"
        if self.telling is not None:
            fields = (expected.exact, expected.expected, expected.allowed)
            expected = Expectation(expected.dtype, *(one[self.telling] for one in fields))
        return prove_places(expected, self.axes) if expected.exact.size else None


def _lost_shows(lost: Array, expected: Expectation) -> bool:
    """Whether every first index of the batch whose matrices would lose anything tells of it."""
    axes = tuple(range(1, lost.ndim))
    due = (np.nan_to_num(lost) != 0).any(axis=axes)
    seen = (np.abs(lost) > 2 * expected.allowed).any(axis=axes)
    return bool((seen | ~due).all())


def expect(exact: Array, allowed: Array, dtype: DType) -> Expectation:
    """Expect `exact` (float64) within `allowed`, or rounded once to the output where that is 0."""
    allowed = np.where(np.isnan(exact), 0.0, allowed)
    return Expectation(dtype, exact, np.where(allowed == 0, round_to(exact, dtype), exact), allowed)


def judge_against(
    expectation: Expectation, shape: tuple[int, ...], parts: Sequence[Array]
) -> Finding:
    """Hold the array that a call gave to `expectation`.

    NaN is right where NaN is expected. What may be flushed to zero or may overflow is excused as
    `bounds.excused` says.
    """
    if len(parts) != 1:
        return Finding("misshapen", detail=f"{len(parts)} arrays came of the call, not one")
    fault = misshapen(parts[0], shape, expectation.dtype)
    if fault:
        return Finding("misshapen", detail=fault)
    return compared(parts[0].reshape(expectation.exact.shape), expectation)


def compared(got: Array, expectation: Expectation) -> Finding:
    """Hold numbers, in their own format or in float64, to an expectation of the same shape."""
    comparison = _compared(got, expectation)
    finding = comparison.finding
    return finding if finding.passed else finding.located(comparison.wrong)


def _compared(got: Array, expectation: Expectation) -> Comparison:
    dtype, expected, allowed = expectation.dtype, expectation.expected, expectation.allowed
    if not expectation.bounded:
        return compare_exact(got, expected, dtype)
    wide = widen(got)
    free = excused(dtype, wide, expected, allowed, np.zeros(expected.shape)) & (allowed > 0)
    free |= np.isnan(wide) & np.isnan(expected)
    return compare_bounded(got, expected, allowed, free, dtype)
