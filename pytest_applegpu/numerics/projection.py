"""Is a large product of integers right, without computing it?

For integers, C r = A (B r) holds exactly in float64 as long as magnitudes stay under 2**53
(R. Freivalds, Probabilistic machines can use less running time, IFIP 1977). It costs
O(MN + MK + KN). r is drawn from -4 to 4 without 0, so a single wrong element in a row always
shows; several that cancel against this r do so with probability at most 1/8. What is no integer
(a last bit flipped, NaN, Inf) is looked for element by element, since its error may be too small
for the sum. Only rows that disagree are then recomputed in full.

With every integer fill |C| <= 2**24 (float64: 2**36), so 4 N |C| <= 2**53 for N up to 2**15.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.blockwise import left_times, times, times_checked
from pytest_applegpu.numerics.compare import compare_exact
from pytest_applegpu.numerics.draws import nonzero
from pytest_applegpu.numerics.epilogue import PLAIN, Epilogue
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.rounding import Array, round_to, widen

_RANGE: Final = 4
_MOST_PRODUCTS: Final = 2**33
"""Multiplications spent on recomputing rows; the rest of many wrong rows is told from these."""

_ENOUGH: Final = 0.5
_SAMPLED_ROWS: Final = 3


@dataclass(frozen=True, slots=True)
class _Suspects:
    """Rows that disagree, as batch index and row, and those of them recomputed."""

    index: tuple[Array, ...]
    chosen: Array

    @property
    def places(self) -> tuple[Array, ...]:
        """Index of the recomputed rows."""
        return tuple(axis[self.chosen] for axis in self.index)


def project(
    A: Array,
    B: Array,
    got: Array,
    rng: np.random.Generator,
    epilogue: Epilogue = PLAIN,
) -> Finding:
    """Check `got`, shape (*batch, M, N) in the storage format, against integer A and B.

    An epilogue may scale the product and add to it; it must not scale the result.

    A result that agrees is `exact`, if the data could have shown a fault, else `no proof`.
    """
    dtype = _dtype_of(A)
    if 0 in got.shape:
        return Finding("exact", 0.0, 0.0, 0.0, 0.0, 0.0)
    r = nonzero(rng, (got.shape[-1],), _RANGE).astype(np.float64)
    with np.errstate(all="ignore"):
        right = _projected(A, B, r, epilogue)
        rows = got.reshape(-1, got.shape[-1])
        left, fractional = times_checked(rows, r)
        suspect = fractional.reshape(right.shape) | (left.reshape(right.shape) != right)
        if suspect.any():
            return _recompute(A, B, got, suspect, dtype, epilogue)
    reason = _prove(A, B, right, rng)
    verdict = "no proof" if reason else "exact"
    return Finding(verdict, 0.0, 0.0, 0.0, 0.0, 0.0, total=got.size, detail=reason)


def prove_projection(A: Array, B: Array, rng: np.random.Generator) -> str | None:
    """Return why a right result of the projection would prove nothing, or None."""
    if 0 in A.shape or 0 in B.shape:
        return None
    r = nonzero(rng, (B.shape[-1],), _RANGE).astype(np.float64)
    return _prove(A, B, _project_operands(A, B, r), rng)


def _dtype_of(A: Array) -> DType:
    return next(dtype for dtype in DTYPES.values() if dtype.numpy == A.dtype)


def _project_operands(A: Array, B: Array, r: Array) -> Array:
    """Return A (B r), shape (*batch, M)."""
    inner = times(B.reshape(-1, B.shape[-1]), r).reshape(B.shape[:-1])
    batch = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    a = np.broadcast_to(A, (*batch, *A.shape[-2:]))
    inner = np.broadcast_to(inner, (*batch, B.shape[-2]))
    result = np.empty((*batch, A.shape[-2]), inner.dtype)
    for index in np.ndindex(batch):
        result[index] = times(a[index], inner[index])
    return result


def _projected(A: Array, B: Array, r: Array, epilogue: Epilogue) -> Array:
    """Return (alpha A B + addend) r, shape (*batch, M)."""
    right = _project_operands(A, B, r) * epilogue.alpha
    return right if epilogue.addend is None else right + epilogue.addend @ r


def _recompute(  # noqa: PLR0917 - a product, what it is held to, and where
    A: Array, B: Array, got: Array, suspect: Array, dtype: DType, epilogue: Epilogue
) -> Finding:
    """Recompute rows that disagree, all of them or an even choice, and compare each element."""
    index = np.nonzero(suspect)
    count = len(index[0])
    most = max(8, _MOST_PRODUCTS // max(A.shape[-1] * B.shape[-1], 1))
    chosen = np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))
    suspects = _Suspects(index, chosen)
    rows = _rows(A, B, suspects) * epilogue.alpha
    if epilogue.addend is not None:
        rows += epilogue.addend[suspects.places]
    expected = round_to(rows, dtype)
    comparison = compare_exact(got[suspects.places], expected, dtype)
    if comparison.finding.passed:
        detail = "rows disagree whose elements are right: these are no integers to project"
        return Finding("no proof", total=got.size, detail=detail)
    return _told(comparison.finding, comparison.wrong, suspects, got)


def _rows(A: Array, B: Array, suspects: _Suspects) -> Array:
    """Compute the chosen rows of the product, batch by batch."""
    *batch_index, _ = suspects.places
    batch = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    a = np.broadcast_to(A, (*batch, *A.shape[-2:]))[suspects.places]
    b = np.broadcast_to(B, (*batch, *B.shape[-2:]))
    wide = widen(a)
    result = np.empty((len(a), B.shape[-1]), wide.dtype)
    flat = np.ravel_multi_index(batch_index, batch) if batch else np.zeros(len(a), np.int64)
    for number in np.unique(flat):
        ours = flat == number
        where = np.unravel_index(number, batch) if batch else ()
        result[ours] = left_times(wide[ours], b[where])
    return result


def _told(finding: Finding, wrong: Array, suspects: _Suspects, got: Array) -> Finding:
    """Translate a finding about the recomputed rows into one about the whole result."""
    mask = np.zeros(got.shape, bool)
    mask[suspects.index] = wrong.any(axis=0)
    mask[suspects.places] = wrong
    row, column = finding.worst or (0, 0)
    skipped = len(suspects.index[0]) - len(suspects.chosen)
    detail = f"{skipped} more rows disagree and were not recomputed" if skipped else None
    return replace(
        finding.located(mask),
        wrong=int(np.count_nonzero(mask)),
        total=got.size,
        worst=(*(int(axis[row]) for axis in suspects.places), column),
        detail=detail,
    )


def _prove(A: Array, B: Array, right: Array, rng: np.random.Generator) -> str | None:
    """Try the faults of `proof` on projections: `right` is A (B r), shape (*batch, M)."""
    if not np.array_equal(right, np.rint(right)):
        return "the operands are not integers"
    if not (A[..., -1] != 0).any() or not (B[..., -1, :] != 0).any():
        return "dropping the last element of K would not be seen"
    if not _changes(right):
        return "swapping two rows would not be seen"
    # One matrix of a batch stands for all: all are drawn alike.
    a, b = A[(-1,) * (A.ndim - 2)], B[(-1,) * (B.ndim - 2)]
    weights = nonzero(rng, (1, len(a)), _RANGE).astype(np.float64)
    picked = np.append(rng.integers(0, len(a), _SAMPLED_ROWS - 1), len(a) - 1)
    below = left_times(np.concatenate([left_times(weights, a), widen(a[picked])]), b)
    if not _changes(below[0]):
        return "swapping two columns would not be seen"
    if (below[1:] != 0).mean() < _ENOUGH:
        return "setting one element to zero would not be seen"
    return None


def _changes(values: Array) -> bool:
    """Whether at least half of all neighbours along the last axis differ."""
    differ = values[..., 1:] != values[..., :-1]
    return differ.size == 0 or bool(differ.mean() >= _ENOUGH)
