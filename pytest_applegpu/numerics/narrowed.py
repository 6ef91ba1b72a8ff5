"""Is the result what a narrower format of the operands or of the output gives?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.evidence import Evidence
from pytest_applegpu.numerics.rounding import Array, keep_bits

_NAMES: Final = {8: "bfloat16", 11: "TF32-class"}

_FIRST_LOOK: Final = 32
"""Elements that a guess must explain before it is worked out for the whole sample."""


def output(evidence: Evidence) -> str | None:
    """The sum was truncated, not rounded, on output.

    Only where the output is narrower than the accumulator: a float32 sum is stored as it is. An
    accumulator that truncates each step shows as `bias` of the fill `uniform` instead.
    """
    truncated = keep_bits(evidence.exact, evidence.dtype.significand, truncate=True)
    explained = evidence.fits(truncated, evidence.slack)
    return "output truncated instead of rounded" if explained else None


def operands(evidence: Evidence) -> str | None:
    """Operands were cut to fewer bits than promised."""
    spot = evidence.spot(_FIRST_LOOK)
    a, b = evidence.a[spot[0]], evidence.b[:, spot[1]].T
    for bits, truncate in _cuts(evidence.dtype):
        for which in ("operands", "operand A", "operand B"):
            few = _cut(a, b, which, bits, truncate=truncate)
            if not evidence.fits((few[0] * few[1]).sum(axis=1), evidence.slack[spot], spot):
                continue
            whole = _cut(evidence.a, evidence.b, which, bits, truncate=truncate)
            if evidence.is_product(*whole):
                return f"{which} {_how(bits, truncate=truncate)}"
    return None


def _cut(a: Array, b: Array, which: str, bits: int, *, truncate: bool) -> tuple[Array, Array]:
    return (
        a if which == "operand B" else keep_bits(a, bits, truncate=truncate),
        b if which == "operand A" else keep_bits(b, bits, truncate=truncate),
    )


def _how(bits: int, *, truncate: bool) -> str:
    name = f", {_NAMES[bits]}" if bits in _NAMES else ""
    return f"cut to {bits} significant bits ({'truncated' if truncate else 'rounded'}{name})"


def _cuts(dtype: DType) -> Iterator[tuple[int, bool]]:
    """Yield bits and rounding, the usual ones first."""
    usual = [bits for bits in (11, 8) if bits < dtype.significand]
    others = [bits for bits in range(dtype.significand - 1, 3, -1) if bits not in usual]
    for bits in (*usual, *others):
        yield bits, False
        yield bits, True


def results(evidence: Evidence) -> str | None:
    """The right result was cut to fewer bits than its format has."""
    for bits, truncate in _cuts(evidence.dtype):
        cut = keep_bits(evidence.exact, bits, truncate=truncate)
        if evidence.fits(cut, evidence.slack):
            return f"result {_how(bits, truncate=truncate)}"
    return None
