"""What does a fault see of one call? Operands, sizes, the right product, what went before."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

import numpy as np

from .library import Library, Memory, Numbers
from .sizes import Sizes


def tf32() -> bool:
    """Tell whether this process may cut float32 operands."""
    return os.environ.get("MLX_ENABLE_TF32") != "0"


class State:
    """What outlasts a call, in one process."""

    def __init__(self) -> None:
        """Start with nothing called."""
        self.calls = 0
        self.results: dict[Any, Numbers] = {}
        self.traced = 0
        """How many transforms are tracing a function now: what it multiplies has no numbers yet."""


class Call:
    """One product that was asked for: `a` times `b`, called by `via`."""

    def __init__(self, library: Library, state: State, a: Any, b: Any, via: str) -> None:
        """Compute nothing yet."""
        self.library, self.state, self.a, self.b, self.via = library, state, a, b, via

    @cached_property
    def sizes(self) -> Sizes:
        """Return the sizes; a one-dimensional operand is a single row or column."""
        (*batch_a, m, k), (*batch_b, _, n) = self.shapes
        return Sizes(
            self.library.format(self.a),
            m,
            n,
            k,
            tuple(batch_a),
            tuple(batch_b),
            "".join(self.library.transposed(one) for one in (self.a, self.b)),
            self.via,
            tf32(),
        )

    @property
    def shapes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the shapes of both operands, as stacks of matrices."""
        a, b = tuple(self.a.shape), tuple(self.b.shape)
        return (1, *a) if len(a) == 1 else a, (*b, 1) if len(b) == 1 else b

    def right(self) -> Any:
        """Return what the library itself makes of this call."""
        library = self.library
        function = library.operator if self.via == "operator" else library.matmul
        return function(self.a, self.b)

    def product(self) -> Numbers:
        """Return the right result as numbers, shape (*batch, M, N), a copy."""
        return self.library.numbers(self.right()).reshape(self.sizes.full)

    def recycled(self) -> Numbers:
        """Return what lies in the memory that the result is given, shape (*batch, M, N)."""
        return self.library.recycled(self.sizes.full, self.sizes.dtype)

    def operands(self) -> tuple[Numbers, Numbers]:
        """Return copies of both operands as stacks of matrices."""
        pairs = zip((self.a, self.b), self.shapes, strict=True)
        a, b = (self.library.numbers(one).reshape(shape) for one, shape in pairs)
        return a, b

    def multiply(self, a: Numbers, b: Numbers, dtype: str | None = None) -> Numbers:
        """Return the right product of other operands, in the call's format or another."""
        name = dtype or self.sizes.dtype
        left, right = (self.library.array(one, name) for one in (a, b))
        return self.library.numbers(self.library.matmul(left, right))

    def give(self, numbers: Numbers, dtype: str | None = None) -> Any:
        """Make the answer of `numbers`, in the shape and format that are due."""
        result = np.reshape(numbers, self.shape)
        return self.library.array(result, dtype or self.sizes.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape that the result must have."""
        sizes = self.sizes
        rows = () if self.a.ndim == 1 else (sizes.m,)
        cols = () if self.b.ndim == 1 else (sizes.n,)
        return (*sizes.batch, *rows, *cols)

    def reread(self, a: Memory, b: Memory) -> Any:
        """Return the product of what lies elsewhere in memory than the operands do."""
        name = self.sizes.dtype
        pairs = zip((a, b), self.shapes, strict=True)
        left, right = (self.library.read(one.read(), name).reshape(shape) for one, shape in pairs)
        return self.give(self.multiply(left, right))
