"""What does a product of picked matrices consist of?"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_applegpu.routing.arrays import Array
from pytest_applegpu.routing.dense.given import Given
from pytest_applegpu.routing.dense.steel import flag
from pytest_applegpu.routing.launch import Tile


@dataclass(frozen=True, slots=True)
class Gathering:
    """Matrices of `a` times matrices of `b`, as `lhs` and `rhs` pick them, both of one shape.

    `seen` tells how the caller's operands lie.
    """

    a: Array
    b: Array
    lhs: Array
    rhs: Array
    seen: Given

    @property
    def m(self) -> int:
        """Rows of each result."""
        return self.a.shape[-2]

    @property
    def n(self) -> int:
        """Columns of each result."""
        return self.b.shape[-1]

    @property
    def k(self) -> int:
        """Products that each element of a result sums up."""
        return self.a.shape[-1]

    @property
    def batch(self) -> int:
        """Number of results."""
        return self.lhs.size

    @property
    def dtype(self) -> str:
        """Format of the operands and of the result."""
        return self.a.dtype

    @property
    def steps(self) -> dict[str, int]:
        """Strides of the indices along their first axis, where they are not 0."""
        strides = {
            name: indices.strides[0]
            for name, indices in (("bsa", self.lhs), ("bsb", self.rhs))
            if indices.ndim
        }
        return {name: stride for name, stride in strides.items() if stride}


def aligned(sizes: tuple[int, int, int], tile: Tile) -> str:
    """Return in a name's form which of M, N and K are whole tiles."""
    fits = zip("MNK", sizes, (tile.bm, tile.bn, tile.bk), strict=True)
    return "".join(f"_align_{axis}_{flag(on=size % by == 0)}" for axis, size, by in fits)
