"""Is what `quantize` gives right?

Formats of floating point have the codes and scales of their definition; affine weights have codes
that mean, w = s q + b, what was packed, within half a step. MLX takes the extreme of the larger
magnitude as b and a step that makes 0 a code: with q0 = round(b / s) for b / s, which is at least
half of the codes, the other extreme lies up to a step beyond the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.held import compared
from pytest_applegpu.numerics.proof import Expectation, prove_places
from pytest_applegpu.numerics.rounding import Array, widen
from pytest_applegpu.operations.codes import scales, values
from pytest_applegpu.operations.encode import RULES, encode, meaning, shared_scales, unpack

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
        return x.reshape(*x.shape[:-1], x.shape[-1] // self.group, self.group)

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
