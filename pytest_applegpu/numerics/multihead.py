"""What is attention between projections, and how far off may it be?

    Y = [O_1 ... O_H] W_o^T + b_o,  O_h = softmax(Q_h K_h^T / sqrt(d)) V_h,
    Q = X_q W_q^T + b_q, and so K and V

in float64 from the definition (A. Vaswani et al., Attention is all you need, 2017, sec. 3.2.2).
What is computed goes through three stages, each rounded to the format: three projections, whose
bounds are those of a product with an addend; attention of operands that are off by them; and a
projection of what is off by that, |W_o| times which comes to its own bound. Every step is a bound
of each element, so the whole is a limit that no honest computation exceeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics import attention
from pytest_applegpu.numerics.attention import Attention, Off
from pytest_applegpu.numerics.bounds import Arithmetic, hard, underflow
from pytest_applegpu.numerics.epilogue import Epilogue
from pytest_applegpu.numerics.rounding import Array


@dataclass(frozen=True)
class Projection:
    """A weight, float64 of shape (N, K), and a bias of shape (N,), or none."""

    weight: Array
    bias: Array | None = None

    def of(self, x: Array) -> Array:
        """Return x W^T + b, shape (*, N), of x of shape (*, K)."""
        with np.errstate(invalid="ignore"):
            product: Array = x @ self.weight.T
        return product if self.bias is None else product + self.bias

    def allowed(
        self, x: Array, dtype: DType, arithmetic: Arithmetic, given: Array | float = 0.0
    ) -> Array:
        """Return how far off each element of `of(x)` may be where x is off by `given`."""
        turned, terms = np.abs(self.weight).T, x.shape[-1]
        with np.errstate(invalid="ignore"):
            inherited = np.broadcast_to(given, x.shape) @ turned
            size = np.abs(x) @ turned + inherited
            inner = inherited + hard(arithmetic, dtype, terms).total * size
            inner = inner + self._sums(size, arithmetic.accumulator_unit)
            bound: Array = inner + dtype.unit * (np.abs(self.of(x)) + inner)
        return bound + underflow(dtype, terms)

    def _sums(self, size: Array, unit: float) -> Array:
        """Return what adding the bias may add, in an accumulator of roundoff `unit`."""
        if self.bias is None:
            return np.zeros(size.shape)
        return Epilogue(addend=self.bias).allowed(size, unit)


@dataclass(frozen=True)
class MultiHead:
    """Inputs and parameters, float64.

    Attributes:
        q: inputs of the queries, shape (B, L, D).
        k: inputs of the keys, shape (B, S, D).
        v: inputs of the values, shape (B, S, D).
        query: projection of the queries, D to D; `key`, `value` and `out` likewise.
        heads: how many heads share D.
        visible: which keys a query sees, broadcast to (B, H, L, S).
        added: what is added to scores, broadcast likewise; -inf hides a key.
    """

    q: Array
    k: Array
    v: Array
    query: Projection
    key: Projection
    value: Projection
    out: Projection
    heads: int
    visible: Array
    added: Array | None = None

    @cached_property
    def attention(self) -> Attention:
        """Attention of the projected inputs, a head at a time."""
        q, k, v = (self._split(projection.of(x)) for projection, x in self._projected)
        return Attention(q, k, v, q.shape[-1] ** -0.5, self.visible, self.added)

    @property
    def _projected(self) -> tuple[tuple[Projection, Array], ...]:
        return (self.query, self.q), (self.key, self.k), (self.value, self.v)

    def _split(self, x: Array) -> Array:
        """Return (B, L, D) as (B, H, L, D / H)."""
        found = x.reshape(*x.shape[:-1], self.heads, x.shape[-1] // self.heads)
        return np.swapaxes(found, -2, -3)

    @cached_property
    def joined(self) -> Array:
        """The heads' results side by side, (B, L, D)."""
        return _joined(self.attention.output)

    @cached_property
    def output(self) -> Array:
        """The result, (B, L, D)."""
        return self.out.of(self.joined)

    def allowed(self, dtype: DType, arithmetic: Arithmetic) -> Array:
        """Return how far off each element of the output may be, (B, L, D)."""
        # Every product here has an order of its own, which a route of the whole does not tell.
        arithmetic = replace(arithmetic, sums=None)
        off = Off(*(self._split(one.allowed(x, dtype, arithmetic)) for one, x in self._projected))
        inner = _joined(attention.allowed(self.attention, dtype, arithmetic, off))
        return self.out.allowed(self.joined, dtype, arithmetic, inner)

    def faults(self) -> Iterator[tuple[str, Array]]:
        """Yield faults, and what the result loses by each: of the sums, the heads and the keys."""
        cut = {
            "queries": replace(self, q=_without_last(self.q)),
            "keys": replace(self, k=_without_last(self.k)),
            "values": replace(self, v=_without_last(self.v)),
        }
        for name, less in cut.items():
            yield f"dropping the last input of the {name}", self.output - less.output
        lost = _without_last(self.joined)
        yield "dropping the last of what the output adds up", self.output - self.out.of(lost)
        others = self.joined.copy()
        others[..., : others.shape[-1] // self.heads] = 0.0
        yield "dropping the first head", self.output - self.out.of(others)
        with np.errstate(invalid="ignore"):
            keys = self.out.of(self.joined - _joined(self.attention.lost))
        yield "dropping the last key", self.output - keys


def _joined(x: Array) -> Array:
    """Return (B, H, L, d) as (B, L, H d)."""
    found = np.swapaxes(x, -2, -3)
    return found.reshape(*found.shape[:-2], found.shape[-2] * found.shape[-1])


def _without_last(x: Array) -> Array:
    lost = x.copy()
    lost[..., -1:] = 0.0
    return lost
