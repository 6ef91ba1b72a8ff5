"""How is a question put? Vectors of the question's making become operands that fit a route."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final, Protocol

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.rounding import Array, widen

_WINDOW: Final = 32
_NARROW: Final = 8
_FEW: Final = 16


class UnansweredError(Exception):
    """There is no answer to be had; the text says why."""


class Machine(Protocol):
    """What multiplies.

    Raises:
        UnansweredError: a product was refused, or never came.
    """

    def multiply(self, a: Array, b: Array) -> Array:
        """Return A B for A (*batch, M, K) and B (*batch, K, N), all in the storage format."""

    def repeat(self, a: Array, b: Array, times: int) -> Sequence[Hashable]:
        """Return a digest of the result of each of `times` calls."""


@dataclass(frozen=True)
class Ask:
    """A route to be asked: format and sizes that lead to it, and what multiplies."""

    dtype: DType
    m: int
    n: int
    k: int
    batch: tuple[int, ...]
    machine: Machine

    @property
    def window(self) -> int:
        """Neighbouring positions along K in which the order of summation is explored."""
        widest = _WINDOW if max(self.m, self.n) >= _FEW else _NARROW
        return min(widest, self.k)

    @property
    def start(self) -> int:
        """Where that window begins: with a sum under way already, where K has room for it."""
        return self.window if self.k >= 2 * self.window else 0

    def stored(self, values: Array) -> Array:
        """Return values (rows, columns) in the storage format, repeated for each of the batch.

        Raises:
            ValueError: the format does not hold one of them exactly.
        """
        with np.errstate(over="ignore"):
            cast = values.astype(self.dtype.numpy)
        if not np.array_equal(widen(cast), values):
            raise ValueError(f"{self.dtype.name} does not hold the values of a question")
        return np.ascontiguousarray(np.broadcast_to(cast, (*self.batch, *values.shape)))

    def product(self, a: Array, b: Array) -> Array:
        """Return A B, float64 or complex128, for A (M, K), of any M, and B (K, N).

        Raises:
            UnansweredError: there is no result, or the matrices of the batch got different ones.
        """
        got = self.machine.multiply(self.stored(a), self.stored(b))
        every = widen(got).reshape(prod(self.batch), a.shape[0], b.shape[1])
        if not np.array_equal(every, np.broadcast_to(every[:1], every.shape), equal_nan=True):
            raise UnansweredError("equal matrices of a batch have different products")
        first: Array = every[0]
        return first

    def dots(self, x: Array, ys: Array) -> Array:
        """Return the product of x (K) with each row of ys (L, K): real parts, float64, (L,).

        x fills the rows of A and ys the columns of B, or the other way round where the route has
        more rows than columns.

        Raises:
            UnansweredError: as `product`; or equal rows have different products.
        """
        step = max(self.m, self.n)
        parts = [self._some(x, ys[start : start + step]) for start in range(0, len(ys), step)]
        return np.concatenate(parts).real

    def _some(self, x: Array, ys: Array) -> Array:
        wide = self.n >= self.m
        lines = np.zeros((max(self.m, self.n), self.k))
        lines[: len(ys)] = ys
        same = np.broadcast_to(x, (min(self.m, self.n), self.k))
        got = self.product(same, lines.T) if wide else self.product(lines, same.T).T
        if not np.array_equal(got, np.broadcast_to(got[:1], got.shape), equal_nan=True):
            raise UnansweredError("equal lines of a matrix have different products")
        first: Array = got[0, : len(ys)]
        return first
