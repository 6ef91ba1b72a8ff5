"""Would another epilogue give exactly this result? An addend or a factor ignored, or swapped."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.epilogue import Epilogue
from pytest_applegpu.numerics.evidence import alike
from pytest_applegpu.numerics.reference import product
from pytest_applegpu.numerics.rounding import Array, round_to, widen


def misapplied(A: Array, B: Array, got: Array, dtype: DType, epilogue: Epilogue) -> str | None:
    """Name what was done wrongly to the product A B, or None if that explains nothing.

    Args:
        A: first operand, shape (*batch_a, M, K).
        B: second operand, shape (*batch_b, K, N).
        got: the result as stored, shape (*batch, M, N).
        dtype: format of the result.
        epilogue: what should have been done.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        clean = product(A, B)
        for words, other in _others(epilogue):
            if alike(round_to(other.apply(clean), dtype), widen(got)).all():
                return words
    return None


def _others(epilogue: Epilogue) -> Iterator[tuple[str, Epilogue]]:
    alpha, addend, scale = epilogue.alpha, epilogue.addend, epilogue.scale
    if addend is not None:
        yield "the addend is ignored", Epilogue(alpha, scale=scale)
        yield "the addend is subtracted", Epilogue(alpha, -addend, scale)
        yield "the product is ignored, only the addend is there", Epilogue(0.0, addend, scale)
    if alpha != 1:
        yield "alpha is ignored", Epilogue(1.0, addend, scale)
        yield "alpha is applied twice", Epilogue(alpha * alpha, addend, scale)
        if addend is not None:
            yield "alpha is applied to the addend too", Epilogue(alpha, alpha * addend, scale)
    if scale is not None:
        yield "the mask of the result is ignored", Epilogue(alpha, addend)
