"""`quantize` and `dequantize`, held to the formats' definitions, and `qqmm`.

What `quantize` must give: for formats of floating point the codes and scales of the definition; for
affine weights codes that mean, w = s q + b, what was packed, within half a step. MLX takes the
extreme of the larger magnitude as b and a step that makes 0 a code: with q0 = round(b / s) for
b / s, which is at least half of the codes, the other extreme lies up to a step beyond the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.forms.quantized import group_and_bits, stored_shape
from pytest_applegpu.numerics.epilogue import Epilogue, Weights
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.held import Held, compared, expect
from pytest_applegpu.numerics.proof import Expectation, prove_places
from pytest_applegpu.numerics.rounding import Array, widen
from pytest_applegpu.operations.codes import scales, values
from pytest_applegpu.operations.drawn import Drawn, Pencil, one_matrix
from pytest_applegpu.operations.encode import LARGEST, RULES, encode, meaning, shared_scales, unpack
from pytest_applegpu.operations.quantized import draw_packed

_TRIES: Final = 8
"""Times that weights are looked through for ties: taking some away changes the scales of others."""

_NEAR: Final = 2.0**-20
"""How near a tie is one, relative to a number."""

_COMPUTED: Final = 8 * 2.0**-23
"""Roundings in float32 on the way to a code, relative to what was packed."""


@dataclass(frozen=True, slots=True)
class Packing:
    """What `quantize` gives is held to.

    Attributes:
        weights: what was packed, float64, shape (*, rows, columns).
        dtype: their format, and that of affine scales and biases.
        mode: affine, mxfp4, mxfp8 or nvfp4.
        group: weights that share a scale.
        bits: bits of a code.
    """

    weights: Array
    dtype: DType
    mode: str
    group: int
    bits: int

    def judge(self, parts: Sequence[Array]) -> Finding:
        """Hold codes, scales and, for affine weights, biases to what they have to be."""
        fault = self._misshapen(parts)
        if fault:
            return Finding("misshapen", detail=fault)
        codes = unpack(parts[0], self.bits)
        return (
            self._affine(codes, *parts[1:])
            if self.mode == "affine"
            else self._float(codes, parts[1])
        )

    def prove(self) -> str | None:
        """Return the first fault of places that would go unseen, or None."""
        if not self.weights.size:
            return None
        allowed = np.zeros(self.weights.shape)
        if self.mode == "affine":
            grouped = self._grouped(self.weights)
            step = np.ptp(grouped, axis=-1, keepdims=True) / (2**self.bits - 1)
            allowed = np.broadcast_to(step / 2, grouped.shape).reshape(self.weights.shape)
        expected = self.weights
        if self.mode != "affine":
            expected = meaning(self.weights, self.mode, self.group)
        return prove_places(Expectation(self.dtype, expected, expected, allowed))

    def _misshapen(self, parts: Sequence[Array]) -> str | None:
        *lead, columns = self.weights.shape
        groups = (*lead, columns // self.group)
        shapes = [(*lead, columns * self.bits // 32), groups, *[groups] * (self.mode == "affine")]
        names = ("codes", "scales", "biases")
        if len(parts) != len(shapes):
            return f"{len(parts)} arrays came of the call, not {len(shapes)}"
        for name, part, shape in zip(names, parts, shapes, strict=False):
            if part.shape != shape:
                return f"{name} have shape {part.shape}, not {shape}"
            if part.dtype != self._stored(name):
                return f"{name} are {part.dtype}, not {self._stored(name)}"
        return None

    def _stored(self, name: str) -> np.dtype[np.generic]:
        if name == "codes":
            return np.dtype(np.uint32)
        return self.dtype.numpy if self.mode == "affine" else np.dtype(np.uint8)

    def _grouped(self, x: Array) -> Array:
        return x.reshape(*x.shape[:-1], -1, self.group)

    def _meant(self, codes: Array, shared: Array) -> Array:
        factors = np.repeat(scales(shared, self.mode), self.group, axis=-1)
        return np.asarray(values(codes, self.mode) * factors)

    def _float(self, codes: Array, shared: Array) -> Finding:
        """Hold scales to those of a rule, then codes to the elements that they make."""
        # Of a group of zeros any scale is right.
        zeros = self._grouped(self.weights == 0).all(axis=-1)
        allowed = [shared_scales(self.weights, self.mode, self.group, rule) for rule in RULES]
        known = zeros | (shared == allowed[0]) | (shared == allowed[1])
        if not known.all():
            return self._held(
                scales(np.where(known, allowed[0], shared), self.mode),
                scales(allowed[0], self.mode),
            )
        wanted = encode(self.weights, self.mode, self.group, shared)
        return self._held(self._meant(codes, shared), self._meant(wanted, shared))

    def _affine(self, codes: Array, steps: Array, shifts: Array) -> Finding:
        """Hold s q + b to what was packed."""
        s, b = (np.repeat(widen(one), self.group, axis=-1) for one in (steps, shifts))
        size = np.abs(s * codes)
        allowed = np.abs(s) * np.where(codes == 2**self.bits - 1, 1.0, 0.5)
        allowed = allowed + self.dtype.unit * size + _COMPUTED * (np.abs(self.weights) + np.abs(b))
        allowed = np.where(self._extreme(), self.dtype.unit * size, allowed)
        return self._held(s * codes + b, self.weights, allowed)

    def _held(self, got: Array, expected: Array, allowed: Array | None = None) -> Finding:
        allowed = np.zeros(expected.shape) if allowed is None else allowed
        return compared(got, Expectation(self.dtype, expected, expected, allowed))

    def _extreme(self) -> Array:
        """Return which weights are the extreme of the larger magnitude; none where both are."""
        grouped = self._grouped(self.weights)
        high, low = grouped.max(axis=-1, keepdims=True), grouped.min(axis=-1, keepdims=True)
        edge = np.where(high > -low, high, low)
        lone = (grouped == edge) & (high != -low)
        return np.asarray(lone).reshape(self.weights.shape)


def quantize(pencil: Pencil) -> Drawn:
    """Draw weights: normal numbers, or in exact data numbers on both sides of all ties."""
    problem = pencil.problem
    group, bits = group_and_bits(problem)
    mode, shape = problem.param("mode"), stored_shape(problem)
    if pencil.is_exact and mode != "affine":
        weights = _ties(pencil, shape, mode, group)
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
    drawn[..., -1:] = 1.5
    return drawn.astype(dtype.numpy)
