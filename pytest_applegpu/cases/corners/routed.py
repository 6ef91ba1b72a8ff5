"""Which cases take the routes that no other hard spot takes? So that each has three at the least.

Whether a case takes its route depends on the architecture and on the version of MLX: elsewhere it
is a case like any other. Lines come in threes, as smoke gives each of three formats one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_LINES: Final[dict[str, tuple[str, ...]]] = {
    "matmul": (
        # A dot product, and a product for which K is cut on the accelerators, of copies.
        "nn-1x1x512 a=step",
        "nn-1x1x777 b=step",
        "nn-1x1x512 b=pad:8 fill=normal",
        "nn-80x96x512 a=step",
        "nn-80x96x512 b=step fill=normal",
        # A few rows of a copy.
        "nt-5x40x64 a=step",
        "nt-5x72x256 a=step fill=normal",
        "nt-9x40x512 a=neg",
    ),
    "addmm": (
        "nt-5x40x64",
        "nt-9x72x256 beta=2",
        "nt-2x40x64 addend=row",
        "nt-5x72x256 fill=normal",
        "nt-14x40x64",
        "nt-3x40x128 alpha=0.5 fill=normal",
    ),
    "gather_mm": (
        "nn-1x64x96-b20:4 a=step order=sorted",
        "nt-1x40x96-b20:4 a=pad:8 order=sorted",
        "nn-1x65x100-b70:3 a=step order=sorted fill=normal",
    ),
    "quantized_matmul": (
        "nt-1x32x512 a=step",
        "nt-1x64x512 a=step fill=normal",
        "nt-1x40x1024 a=step",
        "nn-1x64x1024 a=step",
        "nn-1x64x1024 scales=step",
        "nn-1x128x1088 a=step fill=normal",
        "nt-33x64x128-b2",
        "nt-40x72x192-b3 fill=normal",
        "nt-40x40x128 bits=8 group=128",
    ),
    "gather_qmm": (
        "nn-1x64x128-b40:8 order=sorted",
        "nn-1x128x64-b40:4 order=sorted fill=normal",
        "nn-1x64x192-b33:2 order=sorted",
        "nn-1x64x128-b40:8 a=step order=sorted",
        "nn-1x128x64-b40:4 a=step order=sorted fill=normal",
        "nn-1x64x192-b33:2 a=step order=sorted",
        "nt-1x64x128-b40:8 a=step order=sorted",
        "nt-1x40x64-b40:4 a=step order=sorted fill=normal",
        "nt-1x65x192-b33:2 a=step order=sorted",
        "nt-1x64x512-b5:3",
        "nt-1x40x1024-b5:3 fill=normal",
        "nt-1x64x512-b5:3 order=sorted",
        "nt-1x64x512-b5:3 a=step",
        "nt-1x40x1024-b5:3 a=step fill=normal",
        "nt-1x64x512-b5:3 a=step order=sorted",
    ),
    "qqmm": (
        "nt-1x32x512 given=plain",
        "nt-1x40x512 mode=mxfp8 given=plain fill=normal",
        "nt-1x32x1024 given=plain",
        "nt-5x32x512 given=plain",
        "nt-5x48x192 mode=mxfp8 given=plain fill=normal",
        "nt-2x32x1024 given=plain",
    ),
    "sdpa": (
        # Scores of a few queries by a matrix-vector kernel, in 16 bits.
        "nt-5x40x32-b1x2",
        "nt-5x40x72-b1x2",
        "nt-8x65x100-b1x2 fill=normal",
        "nt-4x64x80-b1x2",
        "nt-6x40x32-b1x2 fill=normal",
        # One query whose scores are masked between the products.
        "nt-1x65x72-b1x2 mask=causal",
        "nt-1x65x100-b1x2 mask=bool over=matrix",
        "nt-1x40x32-b2x2 mask=add over=matrix fill=normal",
        # Heads that are padded, in 16 bits.
        "nt-512x512x80-b1x1",
        "nt-513x520x72-b1x2:1x1 fill=normal",
        "nt-520x600x80-b1x1",
        "nt-512x513x72-b1x1 fill=normal",
    ),
}


def routed_lines(op: str) -> Iterator[str]:
    """Yield such cases of an operation, as texts without operation and format."""
    yield from _LINES.get(op, ())
