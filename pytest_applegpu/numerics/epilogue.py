"""What happens to a product before it becomes the result, and to weights before they enter it?

    C = scale * (alpha A B + addend)

as in an epilogue of a GEMM (alpha, beta times the addend, a mask over the result). Packed weights
are unpacked first, w = s q + b, rounded to the format of the product on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from pytest_applegpu.numerics.rounding import Array, larger_part

_STEPS: Final = 4
"""Roundings of an epilogue: both scalings, the sum, and a mask that is a number."""


@dataclass(frozen=True, slots=True)
class Epilogue:
    """What a product goes through.

    Attributes:
        alpha: factor of the product.
        addend: beta times C as stored, float64 or complex128, broadcast to the result's shape.
        scale: factor of each element of the result, float64; zero where a mask hides it.
        last: for each matrix of the batch the index of the last K that counts, -1 for none; None
            where it is the last for all.
        tail: so many elements at the end of K are to be missed where all of them are lost.
        kept_unit: unit roundoff of the format in which the product is stored before the rest comes
            to it; 0 where it is not.
    """

    alpha: float = 1.0
    addend: Array | None = None
    scale: Array | None = None
    last: tuple[int, ...] | None = None
    tail: int = 1
    kept_unit: float = 0.0

    @property
    def is_plain(self) -> bool:
        """Whether the product is the result."""
        return self.alpha == 1 and self.addend is None and self.scale is None

    @property
    def keeps_whole(self) -> bool:
        """Whether whole numbers stay whole numbers, and each row a sum of them."""
        added = self.addend
        whole = added is None or bool((np.rint(added) == added).all())
        return self.scale is None and self.alpha % 1 == 0 and whole

    def apply(self, product: Array) -> Array:
        """Return the result of a product, in the product's own wide format."""
        with np.errstate(invalid="ignore", over="ignore"):
            result = product if self.alpha == 1 else product * self.alpha
            if self.addend is not None:
                result = result + self.addend
            if self.scale is None:
                return result
            # What a mask hides is zero, NaN or not.
            return np.where(self.scale == 0, 0, result * self.scale)

    def scaled(self, magnitude: Array) -> Array:
        """Return the magnitude of what the product gives to the result."""
        size = magnitude * abs(self.alpha)
        return size if self.scale is None else size * np.abs(self.scale)

    def allowed(self, magnitude: Array, unit: float) -> Array:
        """Return what the epilogue's own roundings may add, in an accumulator of roundoff `unit`.

        To first order each of them is off by `unit` of all that was added up by then (Higham
        2002, sec. 3.1); the factor 1.01 covers the rest.
        """
        if self.is_plain:
            return np.zeros(magnitude.shape)
        kept = self.kept_unit * self.scaled(magnitude)
        size = magnitude * abs(self.alpha)
        if self.addend is not None:
            size = size + larger_part(self.addend)
        if self.scale is not None:
            size = size * np.abs(self.scale)
        return 1.01 * (_STEPS * unit * size + kept)

    def undo(self, result: Array) -> Array | None:
        """Return the product that gives `result`, None where it cannot be told."""
        if self.scale is not None or self.alpha == 0:
            return None
        with np.errstate(invalid="ignore", over="ignore"):
            product = result if self.addend is None else result - self.addend
            return np.asarray(product / self.alpha)


PLAIN: Final = Epilogue()
"""The product is the result."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What is known of B where it is unpacked from codes.

    Attributes:
        size: |s||q| + |b|, float64, of B's shape: what the roundings of w = s q + b scale with.
        unit: unit roundoff of the format in which w is unpacked.
    """

    size: Array
    unit: float

    @property
    def relative(self) -> float:
        """Largest relative error of two roundings: 2u + u**2."""
        return 2 * self.unit + self.unit**2
