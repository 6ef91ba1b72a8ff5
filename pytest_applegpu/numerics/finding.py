"""What did a check find?"""

from __future__ import annotations

from dataclasses import dataclass

Value = float | complex | str | None


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on one result, with the size, place and shape of its errors.

    Attributes:
        verdict: `exact`, `within`, `over`, `misshapen` or `no proof`.
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
        cause: the fault that would give exactly this result, in words.
        detail: what the other fields cannot say.
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
    cause: str | None = None
    detail: str | None = None

    @property
    def passed(self) -> bool:
        """Whether the result may stand."""
        return self.verdict in {"exact", "within"}
