"""What is attention, and how far off may it be?

    O = P V,  P = softmax(S),  S = scale Q K^T + mask

in float64 from the definition. What is computed is allowed, element by element of O, the sum of

1. errors of the scores. A product is off by `bounds.hard` of |Q||K|; the query may be scaled in its
   own format first, the scores stored in it, and again with the mask added: one roundoff each.
   An exponential of x - max takes 4 roundoffs of the accumulator of |x| + |max| (the factor log2 e,
   the difference and its rounding).
2. what softmax makes of them. With scores off by no more than d_j, P_j becomes at the most
   P_j exp(d_j) / (P_j exp(d_j) + sum over k != j of P_k exp(-d_k)), as it grows with its own score
   and falls with all others, and at the least the same with signs exchanged: P. Blanchard,
   D. J. Higham, N. J. Higham, Accurately computing the log-sum-exp and softmax functions (IMA J.
   Numer. Anal., 2021), whose condition number of 2 max d bounds the first order.
3. errors of the weights: gamma_n for a sum of exponentials in any order, rescaled once a block
   (M. Milakov, N. Gimelshein, Online normalizer calculation for softmax, 2018; T. Dao et al.,
   FlashAttention, 2022), with the exponential's own 16 roundoffs; weights, and the output of parts
   of the keys, may be stored in the format of the result.
4. the product with V and the rounding of the result: `bounds.hard`, and one roundoff.

Where queries, keys and values are results themselves, each off by so much, the scores are off by
|dQ||K| + (|Q| + |dQ|)|dK| more, the sizes of all are larger by it, and the output by P |dV|.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.bounds import Arithmetic, gamma, hard, underflow
from pytest_applegpu.numerics.rounding import Array

_EXPONENTIAL = 16
"""Roundoffs of an exponential function and a quotient."""

_NOTHING = 2.0**-900
"""Weights that are zero in every format, and slow to multiply as subnormal numbers in float64."""

_ARGUMENT = 4
"""Roundoffs of an exponential's argument, of what is subtracted in it."""


@dataclass(frozen=True)
class Attention:
    """Operands of attention, float64.

    Attributes:
        q: queries, shape (B, H, L, D).
        k: keys, shape (B, H_kv, S, D): each head serves H / H_kv heads of queries.
        v: values, shape (B, H_kv, S, D_v).
        scale: factor of the scores.
        visible: which keys a query sees, broadcast to (B, H, L, S).
        added: what is added to scores, broadcast likewise; -inf hides a key.
        sinks: a score for each head that takes its share of the weights and gives nothing, (H,).
    """

    q: Array
    k: Array
    v: Array
    scale: float
    visible: Array
    added: Array | None = None
    sinks: Array | None = None

    @cached_property
    def values(self) -> Array:
        """V for each head of queries, (B, H, S, D_v)."""
        return np.repeat(self.v, self.q.shape[1] // self.v.shape[1], axis=1)

    @cached_property
    def keys(self) -> Array:
        """K for each head of queries, transposed, (B, H, D, S)."""
        return np.swapaxes(np.repeat(self.k, self.q.shape[1] // self.k.shape[1], axis=1), -1, -2)

    @cached_property
    def products(self) -> Array:
        """Scores before any mask, (B, H, L, S)."""
        with np.errstate(invalid="ignore"):
            found: Array = self.scale * (self.q @ self.keys)
        return found

    @cached_property
    def scores(self) -> Array:
        """Scores that softmax is taken of: those of the keys, then the sink's."""
        scores = self.products if self.added is None else self.products + self.added
        visible = np.broadcast_to(self.visible, scores.shape)
        hidden = np.where(visible, scores, -np.inf)
        if self.sinks is None:
            # A query that sees nothing takes all keys alike, so that its output is their mean.
            return np.where(visible.any(axis=-1, keepdims=True), hidden, 0.0)
        sink = np.broadcast_to(self.sinks[:, None, None], (*scores.shape[:-1], 1))
        return np.concatenate([hidden, sink], axis=-1)

    @cached_property
    def weights(self) -> Array:
        """Weights of all keys, then of the sink, (B, H, L, S or S + 1); NaN where all is -inf."""
        return softmax(self.scores)

    @cached_property
    def output(self) -> Array:
        """The result, (B, H, L, D_v)."""
        with np.errstate(invalid="ignore"):
            found: Array = self.weights[..., : self.v.shape[-2]] @ self.values
        return found

    @cached_property
    def dark(self) -> Array:
        """Queries that see no key, (B, H, L)."""
        visible = np.broadcast_to(self.visible, (*self.q.shape[:-1], self.k.shape[-2]))
        if self.added is not None:
            visible = visible & ~np.isneginf(self.added)
        dark: Array = ~np.asarray(visible.any(axis=-1))
        return dark

    @property
    def lost(self) -> Array:
        """What the result would lose with the last key: zero where that was not seen."""
        shape = (*self.q.shape[:-1], self.k.shape[-2])
        visible = np.broadcast_to(self.visible, shape).copy()
        visible[..., -1:] = False
        with np.errstate(invalid="ignore"):
            return self.output - replace(self, visible=visible).output


@dataclass(frozen=True, slots=True)
class Off:
    """How far off queries, keys and values may be themselves, in their own shapes."""

    q: Array
    k: Array
    v: Array


def softmax(scores: Array) -> Array:
    """Return the softmax along the last axis; NaN where every score is -inf, or one is NaN."""
    with np.errstate(invalid="ignore", under="ignore"):
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-np.inf))
        powers[powers < _NOTHING] = 0.0
        found: Array = powers / powers.sum(axis=-1, keepdims=True)
    return found


def allowed(
    one: Attention, dtype: DType, arithmetic: Arithmetic, given: Off | None = None
) -> Array:
    """Return how far off each element of the output may be, (B, H, L, D_v).

    `given`: how far off queries, keys and values may be, where they are not exact.
    """
    # The order in which a fused kernel adds up is not that of a plain product.
    arithmetic = replace(arithmetic, sums=None)
    keys, unit = one.k.shape[-2], dtype.unit
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        weights = one.weights
        off = _amplified(weights, scores_off(one, dtype, arithmetic, given))[..., :keys]
        weights, values = weights[..., :keys], np.abs(one.values)
        values_off = np.zeros_like(values) if given is None else _for_queries(one, given.v)
        values = values + values_off
        size, amplified = weights @ values, (weights * off) @ values
        steps = gamma(2 * keys + 2 * _EXPONENTIAL, arithmetic.accumulator_unit)
        rest = steps + 2 * unit + hard(arithmetic, dtype, keys).total
        inner = amplified * (1 + rest) + size * rest
        inner = inner + vanished(dtype) * values.sum(axis=-2)[..., None, :]
        inner = inner if given is None else inner + weights @ values_off
        bound: Array = inner + unit * (np.abs(one.output) + inner) + underflow(dtype, keys)
    return bound


def _for_queries(one: Attention, kept: Array) -> Array:
    """Return what is known of each head of keys or values for the heads of queries it serves."""
    return np.repeat(kept, one.q.shape[1] // one.k.shape[1], axis=1)


def _products_off(one: Attention, given: Off | None) -> tuple[Array, Array]:
    """Return |scale||Q||K| of what the operands may be, and how far off they make the scores."""
    q, keys = np.abs(one.q), np.abs(one.keys)
    if given is None:
        return abs(one.scale) * (q @ keys), np.zeros(one.products.shape)
    keys_off = np.swapaxes(_for_queries(one, given.k), -1, -2)
    off = abs(one.scale) * (given.q @ keys + (q + given.q) @ keys_off)
    return abs(one.scale) * (q @ keys) + off, off


def scores_off(
    one: Attention, dtype: DType, arithmetic: Arithmetic, given: Off | None = None
) -> Array:
    """Return how far off each score may be, in the shape of `one.scores`."""
    size, inherited = _products_off(one, given)
    scores, unit = one.scores, dtype.unit
    off = (hard(arithmetic, dtype, one.q.shape[-1]).total + unit) * size
    off = off + unit * np.abs(one.products) + (1 + 2 * unit) * inherited
    if one.sinks is not None:
        off = np.concatenate([off, np.zeros((*off.shape[:-1], 1))], axis=-1)
    finite = np.where(np.isfinite(scores), np.abs(scores), 0.0)
    if one.added is not None:
        off = off + unit * finite
    largest = finite.max(axis=-1, keepdims=True, initial=0.0)
    off = off + _ARGUMENT * arithmetic.accumulator_unit * (finite + largest)
    return np.where(one.dark[..., None], 0.0, off)


def _amplified(weights: Array, off: Array) -> Array:
    """Return the largest relative change of each weight where scores change by up to `off`."""
    # Scores of which so little is known may be anything: what is off without limit is infinite.
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        more, less = np.exp(off), np.exp(-off)
        up = more / _total(weights, more, less) - 1
        down = 1 - less / _total(weights, less, more)
        change: Array = np.maximum(up, down)
    return np.where(np.isnan(change), np.inf, change)


def _total(weights: Array, own: Array, others: Array) -> Array:
    """Return the sum of a weight times its own factor, and all others times theirs, for each."""
    rest = (weights * others).sum(axis=-1, keepdims=True) - weights * others
    return np.asarray(weights * own + np.maximum(rest, 0.0))


def weights_off(one: Attention, dtype: DType, arithmetic: Arithmetic) -> Array:
    """Return how far off each weight may be, as a share of it, in the shape of `one.weights`."""
    keys = one.k.shape[-2]
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        amplified = _amplified(one.weights, scores_off(one, dtype, arithmetic))
        steps = gamma(2 * keys + 2 * _EXPONENTIAL, arithmetic.accumulator_unit)
        off: Array = amplified * (1 + steps) + steps + 2 * dtype.unit
    return off


def vanished(dtype: DType) -> float:
    """Return how large a weight may be that is lost, stored in the format of the result."""
    return 2 * dtype.unit * dtype.smallest_normal + DTYPES["float32"].smallest_normal
