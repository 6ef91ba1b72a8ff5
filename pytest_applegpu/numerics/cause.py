"""Which fault would give exactly this result?

Each model of a fault predicts what it would have made of the operands; the first whose
prediction is what was got names the cause. On data whose sums are exact the prediction must hold
to the bit, on others it must leave no more than a quarter of the error and stay within what
honest summation may add. No model, no name: a wrong name costs more than none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics import accumulated, lost_terms, misplaced, narrowed, rescaled
from pytest_applegpu.numerics.bounds import Arithmetic
from pytest_applegpu.numerics.evidence import Evidence, gather
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.rounding import Array


@dataclass(frozen=True, slots=True)
class Cause:
    """A fault in words, and the part of K (first, one past the last) that it loses or doubles."""

    text: str
    lost: tuple[int, int] | None = None


Model = Callable[[Evidence], Cause | str | None]


def _scaled_or_lost(evidence: Evidence) -> Cause | None:
    """Name a constant factor or a lost part of K; on a product of ones both, as none can tell.

    A factor that is not a plain one, as 115/131 is none, is then what the loss makes it.
    """
    lost = lost_terms.lost_everywhere(evidence)
    scaled = rescaled.scaled(evidence, plainly=lost is not None)
    text = ", or ".join(str(one) for one in (scaled, lost) if one)
    return Cause(text, _place(lost)) if text else None


def _lost_somewhere(evidence: Evidence) -> Cause | None:
    lost = lost_terms.lost_somewhere(evidence)
    return Cause(str(lost), _place(lost)) if lost else None


def _place(lost: lost_terms.Part | None) -> tuple[int, int] | None:
    return (lost.start, lost.stop) if lost else None


_MODELS: Final[tuple[Model, ...]] = (
    misplaced.nothing,
    rescaled.sign_lost,
    _scaled_or_lost,
    misplaced.zeros,
    misplaced.lines,
    misplaced.transposes,
    _lost_somewhere,
)

_MODELS_OF_MANY: Final[tuple[Model, ...]] = (
    narrowed.output,
    narrowed.operands,
    narrowed.results,
    accumulated.accumulators,
)
"""Formats and orders that fit a few elements by chance, so many are asked for."""


def explain(  # noqa: PLR0917 - a product, its format and its promise
    A: Array, B: Array, got: Array, dtype: DType, arithmetic: Arithmetic, finding: Finding
) -> Cause | None:
    """Name the fault that explains a wrong result, or None if no model does.

    Args:
        A: first operand as stored, shape (*batch_a, M, K).
        B: second operand, shape (*batch_b, K, N).
        got: the result, shape (*batch, M, N).
        dtype: format of all three.
        arithmetic: what the route promises.
        finding: what a check found; `worst` tells where to look.
    """
    if finding.worst is None:
        return None
    *batch_index, row, col = finding.worst
    index, batch = tuple(batch_index), got.shape[:-2]
    a, b = (np.broadcast_to(X, (*batch, *X.shape[-2:])) for X in (A, B))
    evidence = gather((a[index], b[index], got[index]), (row, col), dtype, arithmetic)
    if not evidence.wrong.any():
        return None
    if evidence.k == 0:
        return Cause("not zero though K = 0")
    models = (*_MODELS, *(_MODELS_OF_MANY if evidence.many else ()))
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        found: Cause | str | None = misplaced.batches(evidence, a, b, index)
        found = found or next((one for model in models if (one := model(evidence))), None)
    return Cause(found) if isinstance(found, str) else found
