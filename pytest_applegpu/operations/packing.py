"""`quantize` and `dequantize`, held to the formats' definitions, and `qqmm`."""

from __future__ import annotations

from typing import Final

import numpy as np

from pytest_applegpu.forms.quantized import group_and_bits, stored_shape
from pytest_applegpu.numerics.epilogue import Epilogue, Weights
from pytest_applegpu.numerics.held import Held, expect
from pytest_applegpu.numerics.rounding import Array, widen
from pytest_applegpu.operations.codes import scales, values
from pytest_applegpu.operations.drawn import Drawn, Pencil, one_matrix
from pytest_applegpu.operations.encode import LARGEST, RULES, encode, meaning, shared_scales
from pytest_applegpu.operations.packing_check import Packing
from pytest_applegpu.operations.quantized import draw_packed

_TRIES: Final = 8
"""Times that weights are looked through for ties: taking some away changes the scales of others."""

_FEW_BITS: Final = 2

_NEAR: Final = 2.0**-20
"""How near a tie is one, relative to a number."""


def quantize(pencil: Pencil) -> Drawn:
    """Draw weights: normal numbers, or in exact data numbers on both sides of all ties."""
    problem = pencil.problem
    group, bits = group_and_bits(problem)
    mode, shape = problem.param("mode"), stored_shape(problem)
    if pencil.is_exact and mode != "affine":
        weights = _ties(pencil, shape, mode, group)
    elif mode == "affine" and bits <= _FEW_BITS:
        # Of normal numbers more than half would be taken for zero by so few levels.
        weights = pencil.rng.uniform(0.6, 1.0, shape) * pencil.rng.choice([-1.0, 1.0], shape)
    else:
        weights = pencil.rng.standard_normal(shape)
        if mode != "affine":
            weights = _off_ties(widen(weights.astype(problem.dtype.numpy)), mode, group)
    stored = one_matrix(weights.astype(problem.dtype.numpy), problem.layout("w"))
    judge = Packing(widen(stored), problem.dtype, mode, group, bits)
    return Drawn((stored,), stored, stored, judge=judge)


def _ties(pencil: Pencil, shape: tuple[int, ...], mode: str, group: int) -> Array:
    """Draw what lies on elements of a format and halfway between them, scaled by powers of two.

    The largest of each group is the largest element, and one group holds zeros.
    """
    rng = pencil.rng
    most = LARGEST[mode]
    numbers = 128 if mode == "mxfp8" else 8
    held = np.sort(values(np.arange(numbers), mode))
    held = held[np.isfinite(held)]
    halfway = np.concatenate([held, (held[1:] + held[:-1]) / 2])
    grouped = rng.choice(halfway, (*shape[:-1], shape[-1] // group, group))
    grouped *= rng.choice([-1.0, 1.0], grouped.shape)
    if grouped.size:
        grouped[..., rng.integers(group)] = most
        grouped *= 2.0 ** rng.integers(-3, 3, (*grouped.shape[:-1], 1))
        if grouped.shape[-2] > 1:
            grouped[..., rng.integers(grouped.shape[-2]), :] *= rng.integers(0, 2)
    return grouped.reshape(shape)


def _off_ties(weights: Array, mode: str, group: int) -> Array:
    """Return weights of which none lies halfway between two elements, under a scale of any rule.

    Numbers of few bits often do, and exact data are there to hold those.
    """
    for _ in range(_TRIES):
        ties = np.zeros(weights.shape, bool)
        for rule in RULES:
            shared = shared_scales(weights, mode, group, rule)
            near = encode(weights, mode, group, shared)
            step = np.repeat(scales(shared, mode), group, axis=-1)
            up, down = (
                encode(weights * (1 + side), mode, group, shared) for side in (_NEAR, -_NEAR)
            )
            ties |= (step > 0) & ((up != near) | (down != near))
        if not ties.any():
            break
        weights = np.where(ties, 0.0, weights)
    return weights


def dequantize(pencil: Pencil) -> Drawn:
    """Draw packed weights, and unpack them by their definition."""
    problem = pencil.problem
    found = draw_packed(pencil)
    allowed = np.zeros(found.means.shape)
    if problem.param("mode") == "affine" and not pencil.is_exact:
        weights = Weights(found.size, problem.dtype.unit)
        allowed = weights.relative * found.size + problem.dtype.smallest_normal
    expectation = expect(found.means, allowed, problem.dtype)
    return Drawn(found.sent, found.means, found.means, judge=Held(expectation, problem.shape_c))


def qqmm(pencil: Pencil) -> Drawn:
    """Draw A, and weights packed or plain; the product is that of what both are packed to."""
    problem = pencil.problem
    mode, (group, _) = problem.param("mode"), group_and_bits(problem)
    right: tuple[Array, ...]
    if problem.param("given") == "plain":
        stored = _left(pencil, stored_shape(problem))
        means, right = meaning(widen(stored), mode, group), (stored,)
    else:
        found = draw_packed(pencil)
        means, right = found.means, found.sent
    left = _left(pencil, problem.shape_a)
    A = meaning(widen(left), mode, group)
    B = np.swapaxes(means, -1, -2)
    weights = Weights(np.abs(B), problem.dtype.unit)
    return Drawn((left, *right), A, B, Epilogue(tail=1 if pencil.is_exact else group), weights)


def _left(pencil: Pencil, shape: tuple[int, ...]) -> Array:
    """Draw what is packed on the way: 1.5 and 3 of either sign, few of them in exact data.

    Both are elements of every mode under the scale of a group whose largest they are, and both
    rules give groups whose largest is 1.5 times a power of two the same scale: others have it too.
    """
    rng, dtype = pencil.rng, pencil.problem.dtype
    if not pencil.is_exact:
        group, _ = group_and_bits(pencil.problem)
        grouped = np.clip(rng.standard_normal((*shape[:-1], -(-shape[-1] // group), group)), -3, 3)
        grouped[..., rng.integers(group)] = 3.0
        return grouped.reshape(shape).astype(dtype.numpy)
    kept = min(1.0, max(pencil.order().budget // 96, 1) / max(shape[-1], 1))
    drawn = rng.choice([-3.0, -1.5, 1.5, 3.0], shape) * (rng.random(shape) < kept)
    if shape[-1]:
        drawn[..., -1] = rng.choice([-3.0, -1.5, 1.5, 3.0], shape[:-1])
    return drawn.astype(dtype.numpy)
