"""What are the gradients of attention, and how far off may they be?

With O = P V, P = softmax(S), S = scale Q K^T + mask, and the cotangent G

    dV = P^T G,  dP = G V^T,  dS = P * (dP - rowsum(P * dP)),  dQ = scale dS K,  dK = scale dS^T Q

(the gradient of softmax; T. Dao et al., FlashAttention, 2022, app. B.4). Heads of queries that
share a head of keys add up what they give to it. The score of a hidden key is a constant, so dS is
0 there: also where a query sees no key and takes all alike, whose dV is that of a mean. Errors of
scores and weights are those of `attention`; to first order each further product has the error of
`bounds.hard`, each sum in the format of the result one roundoff a term (Higham 2002, sec. 3.1), and
each number that is stored one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.attention import Attention, vanished, weights_off
from pytest_applegpu.numerics.bounds import Arithmetic, hard, underflow
from pytest_applegpu.numerics.rounding import Array

_STORED = 4
"""Roundings of numbers that are stored on the way to dS."""


@dataclass(frozen=True)
class AttentionGradient:
    """Gradients of attention, float64.

    Attributes:
        one: its operands.
        cotangent: G, shape (B, H, L, D_v).
    """

    one: Attention
    cotangent: Array

    @cached_property
    def weights(self) -> Array:
        """P, shape (B, H, L, S), without that of a sink."""
        return self.one.weights[..., : self.one.k.shape[-2]]

    @cached_property
    def of_weights(self) -> Array:
        """Return dP, (B, H, L, S)."""
        found: Array = self.cotangent @ np.swapaxes(self.one.values, -1, -2)
        return found

    @cached_property
    def mean(self) -> Array:
        """What dP is on average over the keys that a query sees, (B, H, L, 1)."""
        found: Array = (self.weights * self.of_weights).sum(axis=-1, keepdims=True)
        return found

    @cached_property
    def of_scores(self) -> Array:
        """Return dS, (B, H, L, S)."""
        return self._seen(self.weights * (self.of_weights - self.mean))

    def _seen(self, x: Array) -> Array:
        """Return what is said of each score, 0 where its key is hidden and it is a constant."""
        return np.where(np.broadcast_to(self.one.visible, x.shape), x, 0.0)

    @property
    def exact(self) -> dict[str, Array]:
        """The gradients of q, k and v, each in the shape of its operand."""
        one, scores = self.one, self.of_scores
        return {
            "q": one.scale * (scores @ np.swapaxes(one.keys, -1, -2)),
            "k": self.shared(one.scale * (np.swapaxes(scores, -1, -2) @ one.q)),
            "v": self.shared(np.swapaxes(self.weights, -1, -2) @ self.cotangent),
        }

    def shared(self, x: Array) -> Array:
        """Add up what heads of queries give to the head of keys that they share."""
        sequences, heads, *matrix = x.shape
        kept = self.one.k.shape[1]
        found: Array = x.reshape(sequences, kept, heads // kept, *matrix).sum(axis=2)
        return found

    def allowed(self, dtype: DType, arithmetic: Arithmetic) -> dict[str, Array]:
        """Return how far off each element of the gradients may be, by operand."""
        arithmetic = replace(arithmetic, sums=None)
        one, unit = self.one, dtype.unit
        queries, keys = self.weights.shape[-2:]
        group = one.q.shape[1] // one.k.shape[1]
        off = self._weights_off(dtype, arithmetic)
        scores = self._scores_off(dtype, arithmetic, off)
        size, summed = np.abs(self.of_scores) + scores, (1 + group) * unit
        by_keys = hard(arithmetic, dtype, keys).total + 2 * unit
        by_queries = hard(arithmetic, dtype, queries).total + 2 * unit + summed
        each = np.abs(np.swapaxes(one.keys, -1, -2))
        weights = np.swapaxes(self.weights + off, -1, -2)
        cotangent = np.abs(self.cotangent)
        least = underflow(dtype, keys + queries)
        scale = abs(one.scale)
        turned, off = np.swapaxes(scores + by_queries * size, -1, -2), np.swapaxes(off, -1, -2)
        return {
            "q": scale * ((scores + by_keys * size) @ each) + least,
            "k": self.shared(scale * (turned @ np.abs(one.q))) + least,
            "v": self.shared((off + by_queries * weights) @ cotangent) + least,
        }

    def _weights_off(self, dtype: DType, arithmetic: Arithmetic) -> Array:
        """Return how far off each weight may be, (B, H, L, S)."""
        keys = self.one.k.shape[-2]
        relative = weights_off(self.one, dtype, arithmetic)[..., :keys]
        return self.weights * relative + vanished(dtype)

    def _scores_off(self, dtype: DType, arithmetic: Arithmetic, off: Array) -> Array:
        """Return how far off each element of dS may be, (B, H, L, S)."""
        unit, (keys, size) = dtype.unit, self.one.v.shape[-2:]
        magnitude = np.abs(self.cotangent) @ np.swapaxes(np.abs(self.one.values), -1, -2)
        product = (hard(arithmetic, dtype, size).total + unit) * magnitude
        each = np.abs(self.of_weights) + product
        weights = self.weights + off
        terms = off * each + weights * product + (keys + _STORED) * unit * weights * each
        mean = terms.sum(axis=-1, keepdims=True)
        inner = each + np.abs(self.mean) + mean
        return self._seen(off * inner + weights * (product + mean + _STORED * unit * inner))
