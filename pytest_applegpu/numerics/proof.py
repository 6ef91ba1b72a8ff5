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
from pytest_applegpu.numerics.reference import magnitude, product
from pytest_applegpu.numerics.rounding import Array, larger_part, round_to, widen

_ENOUGH = 0.5


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


def expect_exact(A: Array, B: Array, dtype: DType) -> Expectation:
    """Expect the exact product, rounded once to the output."""
    exact = product(A, B)
    return Expectation(dtype, exact, round_to(exact, dtype), np.zeros(exact.shape))


def expect_bounded(
    A: Array, B: Array, dtype: DType, arithmetic: Arithmetic
) -> tuple[Expectation, Array]:
    """Expect the product within its bound; also return |A||B|."""
    exact, size = product(A, B), magnitude(A, B)
    allowed = limit(arithmetic, dtype, exact, size, A.shape[-1])
    return Expectation(dtype, exact, exact, allowed), size


def prove(
    check: str, A: Array, B: Array, dtype: DType, arithmetic: Arithmetic | None = None
) -> str | None:
    """Return why a right result of `check` (`exact` or `bounded`) would prove nothing, or None.

    Raises:
        ValueError: no such check.
    """
    if check == "exact":
        return prove_expectation(A, B, expect_exact(A, B, dtype))
    if check == "bounded":
        return prove_expectation(A, B, expect_bounded(A, B, dtype, arithmetic or promise(dtype))[0])
    raise ValueError(f"check {check!r} is not one of exact, bounded")


def prove_expectation(A: Array, B: Array, expectation: Expectation) -> str | None:
    """Return the first of the four faults that would go unseen, or None. Costs O(MN + MK + KN)."""
    if expectation.exact.size == 0 or A.shape[-1] == 0:
        return None
    if not _drop_shows(A, B, expectation):
        return "dropping the last element of K would not be seen"
    for axis, word in ((-2, "rows"), (-1, "columns")):
        if not _swap_shows(expectation, axis):
            return f"swapping two {word} would not be seen"
    return None if _zero_shows(expectation) else "setting one element to zero would not be seen"


def _drop_shows(A: Array, B: Array, expectation: Expectation) -> bool:
    last = widen(A[..., -1])[..., :, None] * widen(B[..., -1, :])[..., None, :]
    if expectation.bounded:
        seen = larger_part(last) > 2 * expectation.allowed
    else:
        seen = round_to(expectation.exact - last, expectation.dtype) != expectation.expected
    return bool(seen.any(axis=(-2, -1)).all())


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
