"""`quantized_matmul` and `gather_qmm`: B is unpacked from codes, scales and biases.

Codes are drawn and the weights computed from them, w = s q + b in float64. Exact data have scales
that are powers of two and biases that are multiples of them, so that every weight is a small whole
number in units of the smallest, whatever the format it is unpacked in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import ml_dtypes
import numpy as np

from pytest_applegpu.forms.gathered import picked
from pytest_applegpu.forms.quantized import group_and_bits, stored_shape
from pytest_applegpu.numerics.draws import nonzero, signs, spread_out
from pytest_applegpu.numerics.epilogue import Epilogue, Weights
from pytest_applegpu.numerics.fills import sketch
from pytest_applegpu.numerics.rounding import Array, widen
from pytest_applegpu.operations.codes import E8M0_ONE, pack, scales, values
from pytest_applegpu.operations.drawn import Drawn, Pencil, one_matrix
from pytest_applegpu.operations.gathered import effective, indices, pick
from pytest_applegpu.problem import Problem

_BLOCK: Final = 32
"""Weights along K that kernels unpack together, at the least."""

_ROUNDINGS: Final = 3
"""Roundings of a weight and of a result; a share of the sums leaves room for more of them."""

_E4M3_ONE: Final = 0x38
"""The code of 1 in E4M3."""

_WHOLE_E4M3: Final = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8])
"""Whole numbers that E4M3 holds."""


@dataclass(frozen=True, slots=True)
class Packed:
    """Weights: what is handed over, and what it means, both as stored (*batch, rows, columns)."""

    sent: tuple[Array, ...]
    means: Array
    size: Array


def quantized_matmul(pencil: Pencil) -> Drawn:
    """Draw A and packed weights."""
    return draw_quantized(pencil)


def draw_quantized(pencil: Pencil, share: int = 1) -> Drawn:
    """Draw A and packed weights, with the budget of exact sums divided by `share`."""
    packed = draw_packed(pencil)
    A = _left(pencil, packed, share)
    B, weights = _right(pencil.problem, packed)
    return Drawn((A, *packed.sent), A, B, _epilogue(pencil), weights)


def gather_qmm(pencil: Pencil) -> Drawn:
    """Draw a stack A, a stack of packed weights, and which of them are multiplied."""
    packed = draw_packed(pencil)
    A = _left(pencil, packed)
    B, weights = _right(pencil.problem, packed)
    chosen = indices(pencil)
    sent = (A, *packed.sent, *(chosen[name] for name in picked(pencil.problem)))
    if not pencil.judged:
        return Drawn(sent, A, B)
    left, right = effective(pencil.problem, chosen)
    size = Weights(pick(weights.size, right), weights.unit)
    return Drawn(sent, pick(A, left), pick(B, right), _epilogue(pencil), size)


def _epilogue(pencil: Pencil) -> Epilogue:
    """Say what the end of K is: a block, as it is unpacked.

    One weight may be smaller than what the roundings of all weights may come to.
    """
    return Epilogue(tail=1 if pencil.is_exact else _BLOCK)


def draw_packed(pencil: Pencil) -> Packed:
    """Draw codes, scales and, for affine weights, biases."""
    problem = pencil.problem
    mode = problem.param("mode")
    group, bits = group_and_bits(problem)
    shape = stored_shape(problem)
    groups = (*shape[:-1], shape[-1] // group)
    codes = one_matrix(_codes(pencil, shape, bits), problem.layout("w"))
    plain = values(codes, mode)
    if mode != "affine":
        factors = one_matrix(_scale_codes(pencil, groups), problem.layout("scales"))
        scaled = plain * np.repeat(scales(factors, mode), group, axis=-1)
        return Packed((pack(codes, bits), factors), scaled, np.abs(scaled))
    steps, shifts = _steps(pencil, groups, bits)
    s, b = (np.repeat(widen(one), group, axis=-1) for one in (steps, shifts))
    sent = (pack(codes, bits), steps, shifts)
    return Packed(sent, s * plain + b, np.abs(s * plain) + np.abs(b))


def _codes(pencil: Pencil, shape: tuple[int, ...], bits: int) -> Array:
    """Draw codes: all there are, but of E4M3 no NaN, and in exact data whole numbers.

    Errors of sums add up where no weight is negative, as `uniform` asks for.
    """
    rng, mode = pencil.rng, pencil.problem.param("mode")
    if mode != "affine" and pencil.fill == "uniform":
        return rng.integers(0, 0x7F if mode == "mxfp8" else 8, shape)
    if mode != "mxfp8":
        return rng.integers(0, 2**bits, shape)
    if pencil.is_exact:
        whole = rng.choice(_WHOLE_E4M3, shape) * rng.choice([-1, 1], shape)
        return np.asarray(whole.astype(ml_dtypes.float8_e4m3fn).view(np.uint8), np.int64)
    # The two codes of NaN have all seven bits below the sign.
    return rng.integers(0, 0x7F, shape) | (rng.integers(0, 2, shape) << 7)


def _scale_codes(pencil: Pencil, groups: tuple[int, ...]) -> Array:
    """Draw the codes of scales: 1 and 2 in exact data, else some powers of two, or E4M3 numbers."""
    rng, nvfp4 = pencil.rng, pencil.problem.param("mode") == "nvfp4"
    if pencil.is_exact:
        drawn = rng.integers(0, 2, groups) * (8 if nvfp4 else 1)
        return (drawn + (_E4M3_ONE if nvfp4 else E8M0_ONE)).astype(np.uint8)
    if nvfp4:
        return rng.integers(0x20, 0x40, groups).astype(np.uint8)
    return rng.integers(E8M0_ONE - 8, E8M0_ONE - 2, groups).astype(np.uint8)


def _steps(pencil: Pencil, groups: tuple[int, ...], bits: int) -> tuple[Array, Array]:
    """Draw scales and biases of affine weights, in the problem's format."""
    rng, dtype = pencil.rng, pencil.problem.dtype
    if pencil.is_exact:
        steps = rng.choice([1.0, -1.0, 0.5], groups)
        shifts = -(2.0 ** (bits - 1)) * steps
    elif pencil.fill == "uniform":
        steps = rng.uniform(0.5, 1.5, groups) / 2**bits
        shifts = rng.uniform(0.1, 0.5, groups)
    else:
        steps = rng.uniform(0.5, 1.5, groups) / 2**bits * rng.choice([-1, 1], groups)
        shifts = -steps * 2 ** (bits - 1) + rng.normal(0, 0.05, groups)
    # Shared biases of scales that are not leave larger weights, which are whole numbers still.
    steps = one_matrix(steps.astype(dtype.numpy), pencil.problem.layout("scales"))
    return steps, one_matrix(shifts.astype(dtype.numpy), pencil.problem.layout("biases"))


def _left(pencil: Pencil, packed: Packed, share: int = 1) -> Array:
    """Draw A: thinned whole numbers where sums are to be exact, else what the fill says."""
    problem = pencil.problem
    if pencil.is_exact and pencil.fill == "integer" and problem.k and packed.size.size:
        return np.broadcast_to(_thinned(pencil, float(packed.size.max()), share), problem.shape_a)
    A, _ = sketch(pencil.fill, pencil.order())
    if not pencil.is_exact:
        A = _weighted(A, problem, _ROUNDINGS if share == 1 else 2 * _ROUNDINGS)
    return np.broadcast_to(A, problem.shape_a)


def _weighted(A: Array, problem: Problem, roundings: int) -> Array:
    """Enlarge the last block of K so that its loss shows beside the roundings of all weights."""
    unit = problem.dtype.unit
    share = problem.k * (roundings * unit + problem.k * 2.0**-24)
    factors = np.where(np.arange(problem.k) < problem.k - _BLOCK, 1.0, max(share, 1.0))
    return (widen(A) * factors).astype(A.dtype)


def _thinned(pencil: Pencil, largest: float, share: int) -> Array:
    """Draw so few whole numbers a row that sums of products stay exact; the last is never 0."""
    order = pencil.order(share)
    # Halves are the smallest unit of a weight.
    budget = max(int(order.budget / (2 * max(largest, 1.0))), 1)
    top = 3 if budget >= 3 * order.k else 1
    terms = min(order.k - 1, max(budget // top - 1, 0))
    body = nonzero(order.rng, (*order.shape_a[:-1], terms), top)
    body = spread_out(body, order.k - 1, order.rng)
    # Of large weights there may be no other term: neighbouring rows differ by the sign of this.
    turns = (-1.0) ** np.arange(order.shape_a[-2])[:, None]
    last = signs(order.rng, (*order.shape_a[:-2], 1, 1)) * turns
    return np.concatenate([body, last], axis=-1).astype(order.dtype.numpy)


def _right(problem: Problem, packed: Packed) -> tuple[Array, Weights]:
    """Return B of shape (*batch_b, K, N), float64, and the sizes that its roundings scale with."""
    turned = problem.transpose[1] == "t"
    means, size = (
        np.swapaxes(one, -1, -2) if turned else one for one in (packed.means, packed.size)
    )
    return means, Weights(size, problem.dtype.unit)
