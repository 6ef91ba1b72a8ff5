"""What is known of a product before it is made? By this a fault decides whether it applies."""

from __future__ import annotations

from math import prod
from typing import Final, NamedTuple

import numpy as np

REAL: Final = frozenset({"float32", "float16", "bfloat16"})
"""Formats that every device multiplies and that are no pairs of numbers."""

HALF: Final = frozenset({"float16", "bfloat16"})

COMPLEX: Final = frozenset({"complex64"})

UNPAIRED: Final = REAL | {"float64"}
"""Every format but complex numbers."""


class Sizes(NamedTuple):
    """A of shape (*batch_a, m, k) times B of shape (*batch_b, k, n), in the format `dtype`.

    `transposes` is nn, nt, tn or tt as BLAS uses them; `via` says whether it is called as a
    function or as the operator `@`; `tf32` whether the process may cut float32 operands; `picks`
    is the result's batch where it is not said to be both batches broadcast against each other.
    """

    dtype: str
    m: int
    n: int
    k: int
    batch_a: tuple[int, ...] = ()
    batch_b: tuple[int, ...] = ()
    transposes: str = "nn"
    via: str = "function"
    tf32: bool = True
    picks: tuple[int, ...] | None = None

    @property
    def batch(self) -> tuple[int, ...]:
        """Batch of the result."""
        if self.picks is not None:
            return self.picks
        return tuple(np.broadcast_shapes(self.batch_a, self.batch_b))

    @property
    def matrices(self) -> int:
        """Number of matrices of the result."""
        return prod(self.batch)

    @property
    def full(self) -> tuple[int, ...]:
        """Shape of the result as a stack of matrices."""
        return (*self.batch, self.m, self.n)

    @property
    def filled(self) -> bool:
        """Whether the result has an element and each element a term."""
        return bool(self.matrices and self.m and self.n and self.k)
