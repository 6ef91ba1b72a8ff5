"""Could this case have failed?

Before a right result counts, its own data must show that a fault would have been seen. Four are
tried on the expected result, without computing another product:

* the last element of K dropped: seen in every matrix of the batch;
* two neighbouring rows, or columns, swapped: seen for at least half of all such pairs;
* one element set to zero: seen for at least half of all elements.

"Seen" means further off than whatever the check lets pass. Shapes that have no such fault (one
row, K = 0, nothing at all) have nothing to prove.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.bounds import Arithmetic, limit, promise
from pytest_applegpu.numerics.epilogue import PLAIN, Epilogue, Weights
from pytest_applegpu.numerics.reference import magnitude, product
from pytest_applegpu.numerics.rounding import Array, larger_part, round_to, widen

_ENOUGH = 0.5
_LINES = {-2: "rows", -1: "columns"}


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a check expects, element by element.

    Attributes:
        dtype: format of the result.
        exact: the product before it is rounded to the output.
        expected: what the result is held to.
        allowed: how far off it may be; zeros where equality is asked for.
    """

    dtype: DType
    exact: Array
    expected: Array
    allowed: Array

    @property
    def bounded(self) -> bool:
        """Whether anything is allowed at all."""
        return bool(self.allowed.any())


def expect_exact(A: Array, B: Array, dtype: DType, epilogue: Epilogue = PLAIN) -> Expectation:
    """Expect the exact result, rounded once to the output."""
    exact = epilogue.apply(product(A, B))
    return Expectation(dtype, exact, round_to(exact, dtype), np.zeros(exact.shape))


def expect_bounded(
    A: Array,
    B: Array,
    dtype: DType,
    arithmetic: Arithmetic,
    *,
    epilogue: Epilogue = PLAIN,
    weights: Weights | None = None,
) -> tuple[Expectation, Array]:
    """Expect the result within its bound; also return |A||B|, as the epilogue scales it."""
    exact = epilogue.apply(product(A, B))
    size = magnitude(A, B if weights is None else weights.size)
    scaled = epilogue.scaled(size)
    allowed = limit(arithmetic, dtype, exact, scaled, A.shape[-1])
    allowed = allowed + epilogue.allowed(size, arithmetic.accumulator_unit)
    if weights is not None:
        allowed = allowed + weights.relative * scaled
    return Expectation(dtype, exact, exact, allowed), scaled


def prove(
    check: str,
    A: Array,
    B: Array,
    dtype: DType,
    arithmetic: Arithmetic | None = None,
    *,
    epilogue: Epilogue = PLAIN,
    weights: Weights | None = None,
) -> str | None:
    """Return why a right result of `check` (`exact` or `bounded`) would prove nothing, or None.

    Raises:
        ValueError: no such check.
    """
    if check == "exact":
        return prove_expectation(A, B, expect_exact(A, B, dtype, epilogue), epilogue)
    if check == "bounded":
        promised = arithmetic or promise(dtype)
        expectation, _ = expect_bounded(A, B, dtype, promised, epilogue=epilogue, weights=weights)
        return prove_expectation(A, B, expectation, epilogue)
    raise ValueError(f"check {check!r} is not one of exact, bounded")


def prove_expectation(
    A: Array, B: Array, expectation: Expectation, epilogue: Epilogue = PLAIN
) -> str | None:
    """Return the first of the faults that would go unseen, or None. Costs O(MN + MK + KN)."""
    if expectation.exact.size == 0:
        return None
    if epilogue.addend is not None and not _addend_shows(expectation, epilogue):
        return "dropping the addend would not be seen"
    if A.shape[-1] == 0 or epilogue.alpha == 0:
        return None
    if not _drop_shows(A, B, expectation, epilogue):
        what = "element" if epilogue.tail == 1 else f"{epilogue.tail} elements"
        return f"dropping the last {what} of K would not be seen"
    return prove_places(_with_terms(expectation, epilogue))


def _with_terms(expectation: Expectation, epilogue: Epilogue) -> Expectation:
    """Return what is expected of those matrices of the batch that are sums of anything at all."""
    if epilogue.last is None:
        return expectation
    some = np.array(epilogue.last) >= 0
    exact, expected, allowed = expectation.exact, expectation.expected, expectation.allowed
    return Expectation(expectation.dtype, exact[some], expected[some], allowed[some])


def prove_places(expectation: Expectation, axes: tuple[int, ...] = (-2, -1)) -> str | None:
    """Return which fault of places would go unseen, or None.

    Neighbours swapped along `axes` (-2 for rows, -1 for columns), and one element set to zero.
    """
    if not expectation.exact.size:
        return None
    for axis in axes:
        if not _swap_shows(expectation, axis):
            return f"swapping two {_LINES[axis]} would not be seen"
    return None if _zero_shows(expectation) else "setting one element to zero would not be seen"


def _drop_shows(A: Array, B: Array, expectation: Expectation, epilogue: Epilogue) -> bool:
    if epilogue.last is None:
        tail = epilogue.tail
        last = product(A[..., -tail:], B[..., -tail:, :])
        return bool(_seen(last, expectation, epilogue).any(axis=(-2, -1)).all())
    ends = np.array(epilogue.last)
    whole = np.flatnonzero(ends >= 0)
    # Each matrix of the batch ends elsewhere; those without any terms have none to lose.
    a, b = (np.broadcast_to(X, (len(ends), *X.shape[-2:])) for X in (A, B))
    last = np.zeros(expectation.exact.shape, expectation.exact.dtype)
    for matrix in whole:
        column, row = a[matrix][:, ends[matrix]], b[matrix][ends[matrix]]
        last[matrix] = widen(column)[:, None] * widen(row)[None]
    return bool(_seen(last, expectation, epilogue)[whole].any(axis=(-2, -1)).all())


def _seen(lost: Array, expectation: Expectation, epilogue: Epilogue) -> Array:
    """Return where a loss of `lost` from the product shows in the result."""
    lost = Epilogue(epilogue.alpha, scale=epilogue.scale).apply(lost)
    return _shows(lost, expectation)


def _shows(lost: Array, expectation: Expectation) -> Array:
    if expectation.bounded:
        return np.asarray(larger_part(lost) > 2 * expectation.allowed)
    changed = round_to(expectation.exact - lost, expectation.dtype) != expectation.expected
    return np.asarray(changed)


def _addend_shows(expectation: Expectation, epilogue: Epilogue) -> bool:
    """Whether each matrix of the batch tells that its addend was left out."""
    lost = Epilogue(addend=epilogue.addend, scale=epilogue.scale)
    missing = np.broadcast_to(lost.apply(np.zeros(1)), expectation.exact.shape)
    return not missing.any() or bool(_shows(missing, expectation).any(axis=(-2, -1)).all())


def _swap_shows(expectation: Expectation, axis: int) -> bool:
    values, allowed = (
        np.moveaxis(X, axis, -2) for X in (expectation.expected, expectation.allowed)
    )
    difference = larger_part(values[..., 1:, :] - values[..., :-1, :])
    seen = (difference > allowed[..., 1:, :] + allowed[..., :-1, :]).any(axis=-1)
    return seen.size == 0 or bool(seen.mean() >= _ENOUGH)


def _zero_shows(expectation: Expectation) -> bool:
    passed = expectation.allowed
    if expectation.bounded:
        passed = passed + expectation.dtype.smallest_normal
    return bool((larger_part(expectation.expected) > passed).mean() >= _ENOUGH)
