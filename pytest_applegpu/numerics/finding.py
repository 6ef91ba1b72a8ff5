"""What did a check find?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from pytest_applegpu.numerics.budget import Budget
from pytest_applegpu.numerics.error_map import ErrorMap, chart
from pytest_applegpu.numerics.pattern import Reading, read
from pytest_applegpu.numerics.rounding import Array

Value = float | complex | str | None


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on one result, with the size, place and shape of its errors.

    Attributes:
        verdict: `exact`, `within`, `creeping`, `over`, `misshapen` or `no proof`.
        share: worst error as a share of what is allowed (1 is the limit). Where nothing is
            allowed, the worst error in spacings of the output format; infinite when the result
            is not finite and should be, or the reverse. None where nothing was compared.
        ulp: error of the worst element in spacings of the output format at its expected value.
        relative: worst error divided by the largest expected magnitude.
        frobenius: Frobenius norm of the error divided by that of the expected result.
        bias: mean of |got| - |expected| in spacings: -0.5 is what truncation leaves, 0 rounding.
        wrong: how many elements are outside what is allowed.
        total: how many elements were compared.
        worst: index of the worst element in the result.
        got_value: what stands there.
        expected_value: what should stand there.
        pattern: where the wrong elements lie, in words.
        reading: the same in numbers.
        map: the same drawn on a coarse grid.
        cause: the fault that would give exactly this result, in words.
        lost: the part of K, from its first to before its last element, that the cause says is lost
            or counted twice.
        detail: what the other fields cannot say.
        typical: worst error as a share of the calibrated band below what is allowed.
        budget: what the bound of the worst element is made of.
    """

    verdict: str
    share: float | None = None
    ulp: float | None = None
    relative: float | None = None
    frobenius: float | None = None
    bias: float | None = None
    wrong: int = 0
    total: int = 0
    worst: tuple[int, ...] | None = None
    got_value: Value = None
    expected_value: Value = None
    pattern: str | None = None
    reading: Reading | None = None
    map: ErrorMap | None = None
    cause: str | None = None
    lost: tuple[int, int] | None = None
    detail: str | None = None
    typical: float | None = None
    budget: Budget | None = None

    @property
    def passed(self) -> bool:
        """Whether the result may stand."""
        return self.verdict in {"exact", "within", "creeping"}

    def located(self, wrong: Array) -> Self:
        """Return it with the places of its wrong elements, a mask of shape (*batch, M, N).

        Raises:
            ValueError: nothing is wrong.
        """
        reading = read(wrong)
        return replace(self, pattern=reading.text, reading=reading, map=chart(wrong))
