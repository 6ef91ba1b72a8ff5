"""Is this result right?

`judge` puts a result to one check and says what it found; of a wrong one also where its errors
lie and which fault would make them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.band import typical, typical_of_cut
from pytest_applegpu.numerics.bounds import Arithmetic, excused
from pytest_applegpu.numerics.budget import Budget, split
from pytest_applegpu.numerics.cause import Cause, explain
from pytest_applegpu.numerics.compare import Comparison, compare_bounded, compare_exact, misshapen
from pytest_applegpu.numerics.epilogue import PLAIN, Epilogue, Weights
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.misapplied import misapplied
from pytest_applegpu.numerics.projection import project
from pytest_applegpu.numerics.proof import (
    Expectation,
    expect_bounded,
    expect_exact,
    prove_expectation,
)
from pytest_applegpu.numerics.rounding import Array, larger_part, parts, widen
from pytest_applegpu.numerics.special import check_isolation, prove_isolation


@dataclass(frozen=True, slots=True)
class _Case:
    """A result with all that is needed to judge it."""

    A: Array
    B: Array
    got: Array
    dtype: DType
    arithmetic: Arithmetic
    rng: np.random.Generator
    epilogue: Epilogue
    weights: Weights | None


def judge(  # noqa: PLR0917 - a product, its format and its promise
    check: str,
    A: Array,
    B: Array,
    got: Array,
    dtype: DType,
    arithmetic: Arithmetic,
    rng: np.random.Generator,
    *,
    shape: tuple[int, ...] | None = None,
    epilogue: Epilogue = PLAIN,
    weights: Weights | None = None,
) -> Finding:
    """Put `got` to `check` and say what was found.

    Args:
        check: `exact` (equality with the product, rounded once), `bounded`, `projection`
            (exact, for large products of integers) or `isolation`.
        A: first operand as it is stored, shape (*batch_a, M, K).
        B: second operand, shape (*batch_b, K, N).
        got: the result; anything but an array of the right shape and dtype is `misshapen`.
        dtype: format of operands and result.
        arithmetic: what the route promises.
        rng: source of the projection's vectors.
        shape: shape that the result must have, if one-dimensional operands took axes away from
            (*batch, M, N); as many elements in the same order.
        epilogue: what the product goes through before it is the result.
        weights: what is known of B where it is unpacked from codes.

    Raises:
        ValueError: no such check.
    """
    if check not in CHECKS:
        raise ValueError(f"check {check!r} is not one of {', '.join(CHECKS)}")
    batch = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    full = (*batch, A.shape[-2], B.shape[-1])
    fault = misshapen(got, full if shape is None else shape, dtype)
    if fault:
        return Finding("misshapen", detail=fault)
    case = _Case(A, B, got.reshape(full), dtype, arithmetic, rng, epilogue, weights)
    finding = CHECKS[check](case)
    if finding.verdict == "over" and finding.cause is None:
        cause = _cause(case, finding)
        return finding if cause is None else replace(finding, cause=cause.text, lost=cause.lost)
    return finding


def _cause(case: _Case, finding: Finding) -> Cause | None:
    """Name the fault of the epilogue, or else that of the product it was made from."""
    A, B, dtype = case.A, case.B, case.dtype
    if case.epilogue.is_plain:
        return explain(A, B, case.got, dtype, case.arithmetic, finding)
    named = misapplied(A, B, case.got, dtype, case.epilogue)
    product = case.epilogue.undo(widen(case.got))
    if named or product is None or A.shape[-1] == 0:
        return Cause(named) if named else None
    with np.errstate(invalid="ignore", over="ignore"):
        stored = product.astype(dtype.numpy)
    if not np.array_equal(widen(stored), product, equal_nan=True):
        return None  # rounded after it was added up: what it was cannot be told
    return explain(A, B, stored, dtype, case.arithmetic, finding)


def _exact(case: _Case) -> Finding:
    expectation = expect_exact(case.A, case.B, case.dtype, case.epilogue)
    comparison = compare_exact(case.got, expectation.expected, case.dtype)
    return _settled(case, comparison, expectation)


def _bounded(case: _Case) -> Finding:
    expectation, size = expect_bounded(
        case.A,
        case.B,
        case.dtype,
        case.arithmetic,
        epilogue=case.epilogue,
        weights=case.weights,
    )
    allowed = expectation.allowed
    excuse = _excused(case, expectation, size)
    band = _band(case, expectation, size)
    comparison = compare_bounded(case.got, expectation.exact, allowed, excuse, case.dtype, band)
    budget = _budget(case, expectation, size, comparison.finding.worst)
    return replace(_settled(case, comparison, expectation), budget=budget)


def _band(case: _Case, expectation: Expectation, size: Array) -> Array:
    """Return what sound arithmetic stays below; of an epilogue's operands no more is known."""
    promised, allowed = (case.arithmetic, case.dtype), expectation.allowed
    band = typical(*promised, allowed, size, case.A.shape[-1])
    if not case.epilogue.is_plain or case.weights is not None:
        return band
    return typical_of_cut(*promised, band, size, expectation.exact, (case.A, case.B))


def _budget(
    case: _Case, expectation: Expectation, size: Array, worst: tuple[int, ...] | None
) -> Budget | None:
    """Return what the bound of the worst element is made of."""
    if worst is None:
        return None
    allowed, magnitude = float(expectation.allowed[worst]), float(size[worst])
    exact = float(larger_part(expectation.exact[worst]))
    return split(case.arithmetic, case.dtype, exact, magnitude, case.A.shape[-1], allowed)


def _excused(case: _Case, expectation: Expectation, size: Array) -> Array:
    """Return which elements may stand though off: of complex ones, both parts must."""
    wide, exact, allowed = widen(case.got), expectation.exact, expectation.allowed
    if not case.dtype.is_complex:
        return excused(case.dtype, wide, exact, allowed, size)
    both, allowed, size = (parts(wide), parts(exact)), allowed[..., None], size[..., None]
    with np.errstate(invalid="ignore", over="ignore"):
        within = np.abs(both[0] - both[1]) <= allowed
    either = within | excused(case.dtype, *both, allowed, size)
    result: Array = either.all(axis=-1) & ~within.all(axis=-1)
    return result


def _settled(case: _Case, comparison: Comparison, expectation: Expectation) -> Finding:
    """Add the pattern to a wrong result, and ask a right one for its proof."""
    finding = comparison.finding
    if not finding.passed:
        return finding.located(comparison.wrong)
    reason = prove_expectation(case.A, case.B, expectation, case.epilogue)
    return replace(finding, verdict="no proof", detail=reason) if reason else finding


def _projection(case: _Case) -> Finding:
    if not case.epilogue.keeps_whole:
        return _exact(case)  # only sums of whole numbers can be compared
    return project(case.A, case.B, case.got, case.rng, case.epilogue)


def _isolation(case: _Case) -> Finding:
    finding = check_isolation(case.A, case.B, case.got, case.dtype, case.epilogue)
    reason = prove_isolation(case.A, case.B) if finding.passed else None
    return replace(finding, verdict="no proof", detail=reason) if reason else finding


CHECKS: Final[dict[str, Callable[[_Case], Finding]]] = {
    "exact": _exact,
    "bounded": _bounded,
    "projection": _projection,
    "isolation": _isolation,
}
"""Every check by its name."""
