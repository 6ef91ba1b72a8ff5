"""How far is each element from what it should be, and which is the worst?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.finding import Finding, Value
from pytest_applegpu.numerics.rounding import Array, larger_part, parts, spacing, widen


@dataclass(frozen=True, slots=True)
class Comparison:
    """A finding without pattern and cause, and the mask of wrong elements they are read from."""

    finding: Finding
    wrong: Array


def misshapen(got: object, shape: tuple[int, ...], dtype: DType) -> str | None:
    """Return what is wrong with the shape or dtype of `got`, or None."""
    if not isinstance(got, np.ndarray):
        return f"the result is of type {type(got).__name__}, not an array"
    if got.shape != shape:
        return f"the result has shape {got.shape}, not {shape}"
    if got.dtype != dtype.numpy:
        return f"the result is {got.dtype}, not {dtype.numpy}"
    return None


def compare_exact(got: Array, expected: Array, dtype: DType) -> Comparison:
    """Hold `got` (in storage) to equality with `expected` (float64 or complex128).

    NaN is right where NaN is expected, and zeros of either sign are equal.
    """
    wide = widen(got)
    wrong = (wide != expected) & ~(np.isnan(wide) & np.isnan(expected))
    if not wrong.any():
        return Comparison(Finding("exact", 0.0, 0.0, 0.0, 0.0, 0.0, total=got.size), wrong)
    step = _step(expected, dtype)
    error = np.where(wrong, _error(wide, expected), 0.0)
    return Comparison(_finding("over", wide, expected, (error, step, step), wrong), wrong)


def compare_bounded(  # noqa: PLR0917 - a result and all that it is held to
    got: Array,
    exact: Array,
    allowed: Array,
    excused: Array,
    dtype: DType,
    band: Array | None = None,
) -> Comparison:
    """Hold `got` (in storage) to `exact` within `allowed`, for complex elements in each part.

    Elements where `excused` count as if they had no error. What is within and yet beyond `band`
    anywhere is `creeping`; without one that is nothing.
    """
    wide = widen(got)
    error = np.where(excused, 0.0, _error(wide, exact))
    wrong = error > allowed
    typical = float(_share(error, allowed if band is None else band).max(initial=0.0))
    verdict = "over" if wrong.any() else "creeping" if typical > 1 else "within"
    sizes = (error, allowed, _step(exact, dtype))
    finding = _finding(verdict, wide, exact, sizes, wrong)
    return Comparison(replace(finding, typical=typical), wrong)


def _share(error: Array, allowed: Array) -> Array:
    """Return each error as a share of what is allowed; no error is none of nothing."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        share: Array = np.where(error == 0, 0.0, error / allowed)
    return share


def _error(got: Array, expected: Array) -> Array:
    """Return the error of each element, of the worse part; infinite where it is not a number."""
    with np.errstate(invalid="ignore", over="ignore"):
        error = larger_part(got - expected)
    return np.where(np.isnan(error), inf, error)


def _step(expected: Array, dtype: DType) -> Array:
    """Return the spacing at each expected value, not finer than u times the largest needs.

    Else the error of a result that should be zero would be told in units of 1e-45.
    """
    size = larger_part(expected)
    finite = np.where(np.isfinite(size), size, 0.0)
    floor = finite.max(initial=0.0) * dtype.unit
    return spacing(np.maximum(finite, floor), dtype)


def _finding(
    verdict: str, got: Array, expected: Array, sizes: tuple[Array, Array, Array], wrong: Array
) -> Finding:
    error, allowed, step = sizes
    if not error.size:
        return Finding(verdict, 0.0, 0.0, 0.0, 0.0, 0.0)
    share = _share(error, allowed)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ulps = error / step
    worst = np.unravel_index(int(np.argmax(share)), share.shape)
    return Finding(
        verdict,
        share=float(share[worst]),
        ulp=float(ulps[worst]),
        relative=_relative(error, expected),
        frobenius=_frobenius(error, expected),
        bias=_bias(got, expected, step),
        wrong=int(np.count_nonzero(wrong)),
        total=error.size,
        worst=tuple(int(index) for index in worst),
        got_value=_value(got[worst]),
        expected_value=_value(expected[worst]),
    )


def _relative(error: Array, expected: Array) -> float:
    size = larger_part(expected)
    largest = float(size.max(where=np.isfinite(size), initial=0.0))
    most = float(error.max())
    if most == 0:
        return 0.0
    return most / largest if largest else inf


def _frobenius(error: Array, expected: Array) -> float:
    """Return the relative Frobenius error, over what is finite and scaled against overflow."""
    size = larger_part(expected)
    finite = np.isfinite(size) & np.isfinite(error)
    scale = float(size.max(where=finite, initial=0.0))
    if not scale:
        return 0.0
    off, all_ = (float(np.sqrt(np.sum((x[finite] / scale) ** 2))) for x in (error, size))
    return off / all_


def _bias(got: Array, expected: Array, step: Array) -> float:
    """Return the mean of |got| - |expected| in spacings, over finite numbers (complex: parts)."""
    if got.dtype.kind == "c":
        got, expected, step = parts(got), parts(expected), step[..., None]
    with np.errstate(invalid="ignore", over="ignore"):
        shift = (np.abs(got) - np.abs(expected)) / step
    finite = np.isfinite(shift)
    return float(shift[finite].mean()) if finite.any() else 0.0


def _value(element: Any) -> Value:
    return complex(element) if isinstance(element, np.complexfloating) else float(element)
