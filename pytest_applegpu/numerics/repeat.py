"""Did the same call give the same bits every time?"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.compare import compare_exact, misshapen
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.rounding import Array, widen


def check_repeat(
    digests: Sequence[Hashable], first: Array, other: Array | None, dtype: DType
) -> Finding:
    """Hold all calls to the first one's bits.

    Args:
        digests: one for each call's result, in order.
        first: result of the first call, shape (*batch, M, N).
        other: result of the first call whose digest differs from the first, None if none does.
        dtype: format of the results.

    Raises:
        ValueError: a digest differs but `other` is missing.
    """
    differing = [call for call, digest in enumerate(digests) if digest != digests[0]]
    if not differing:
        return Finding("exact", 0.0, 0.0, 0.0, 0.0, 0.0, total=first.size)
    if other is None:
        raise ValueError(f"call {differing[0] + 1} differs, so its result is needed as `other`")
    detail = _which(differing, digests)
    wrong_shape = misshapen(other, first.shape, dtype)
    if wrong_shape:
        return Finding("misshapen", detail=f"{detail}: {wrong_shape}")
    changed = _changed(first, other)
    finding = compare_exact(other, widen(first), dtype).finding
    count = int(np.count_nonzero(changed))
    return replace(
        finding.located(changed) if count else finding,
        verdict="over",
        wrong=count,
        detail=f"{detail}, in {count} of {first.size} elements",
    )


def _which(differing: list[int], digests: Sequence[Hashable]) -> str:
    """Name the calls that differ, counted from 1."""
    calls = len(digests)
    if len(differing) == 1:
        return f"call {differing[0] + 1} of {calls} differs from the first"
    if len(differing) == calls - 1 and len(set(digests)) == 2:
        return f"the first of {calls} calls differs from all others"
    return (
        f"{len(differing)} of {calls} calls differ from call 1, beginning with {differing[0] + 1}"
    )


def _changed(first: Array, other: Array) -> Array:
    """Return where the bits differ (a NaN is no other NaN, a zero no negative zero)."""
    x, y = (
        np.ascontiguousarray(X)[..., None].view(np.uint8).reshape(*X.shape, -1)
        for X in (first, other)
    )
    changed: Array = (x != y).any(axis=-1)
    return changed
