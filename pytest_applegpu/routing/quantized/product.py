"""What do kernels with quantized weights have in common: sizes, names, staging?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_applegpu.routing.arrays import ITEMSIZE, Array, Shape
from pytest_applegpu.routing.calls import Quantized
from pytest_applegpu.routing.copies import ceil_div, contiguous_copy
from pytest_applegpu.routing.launch import Launch, Tape, Tile, Triple

TYPE_NAMES: Final = {name: f"{name}_t" for name in ITEMSIZE} | {"float32": "float", "bool_": "bool"}
"""Formats as they stand in the names of these kernels."""


@dataclass(frozen=True, slots=True)
class Product:
    """B products of M x K by K x N, whose result has the shape `out`."""

    weights: Quantized
    dtype: str
    M: int
    N: int
    K: int
    B: int
    out: Shape

    @property
    def mode(self) -> str:
        """The mode of quantization."""
        return self.weights.mode

    @property
    def bits(self) -> int:
        """Bits of a weight."""
        return self.weights.bits

    @property
    def group(self) -> int:
        """Weights with a scale in common."""
        return self.weights.group_size

    @property
    def transpose(self) -> bool:
        """Whether the weights lie as N x K."""
        return self.weights.transpose

    @property
    def batch(self) -> str:
        """The part of a name that says whether there are several products."""
        return f"_batch_{int(self.B > 1)}"

    def launch(
        self,
        family: str,
        grid: Triple,
        group: Triple,
        tail: str = "",
        *,
        suffix: str = "",
        tile: Tile | None = None,
        staged: int = 0,
    ) -> Launch:
        """Return the launch of a kernel of `family`, whose name ends with `tail`."""
        kernel = f"{self.stem(family)}{tail}"
        return Launch(
            kernel, "matmul", grid, group, suffix=suffix, label=family, tile=tile, staged=staged
        )

    def stem(self, family: str) -> str:
        """Return the beginning of the names of a family: mode, format, group and bits."""
        return f"{self.mode}_{family}_{TYPE_NAMES[self.dtype]}_gs_{self.group}_b_{self.bits}"

    def tiles(self, tile: Tile, depth: int) -> Triple:
        """Return the grid of a tiled kernel, `depth` layers deep."""
        return ceil_div(self.N, tile.bn), ceil_div(self.M, tile.bm), depth


def staged_bytes(product: Product, tile: Tile, *, nax: bool) -> int:
    """Return the threadgroup memory of a tiled kernel: rows padded by 16 bytes.

    NAX kernels read x from device memory and stage weights only, as bfloat16 where the mode has no
    biases.
    """
    size = 2 if nax and product.mode != "affine" else ITEMSIZE[product.dtype]
    weights = (
        _staged(tile.bn, tile.bk, size) if product.transpose else _staged(tile.bk, tile.bn, size)
    )
    return weights if nax else weights + _staged(tile.bm, tile.bk, size)


def _staged(rows: int, columns: int, size: int) -> int:
    return rows * (columns * size + 16)


def dense_rows(tape: Tape, array: Array) -> Array:
    """Return `array`, copied where the matrices in its last two axes are not row-major."""
    wanted = (array.shape[-1], 1)[-array.ndim :]
    fits = array.strides[-2:] == wanted
    return array if fits else contiguous_copy(tape, array)
