"""Which rules of fused attention hold in which MLX version?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pytest_applegpu.routing.versions import ByVersion

HeadDims = frozenset[tuple[int, int]]
"""Pairs of head dimensions: of queries and keys, and of values."""


def _same(*dims: int) -> HeadDims:
    return frozenset((dim, dim) for dim in dims)


@dataclass(frozen=True, slots=True)
class AttentionRules:
    """What decides between the vector kernels, the full kernels, and none of them."""

    vector_dims: HeadDims
    """Head dimensions of the vector kernels."""

    vector_rows: int | None
    """Most query rows that share a key head, query length times group size; None for no limit."""

    long_letters: str
    """Architecture letters that take two passes from 1024 keys on."""

    tuned_blocks: bool
    """Whether the first pass takes a group of query heads together and keys in tuned blocks."""

    grouped: Mapping[int, tuple[int, ...]]
    """Sizes of head groups with a first pass of their own, by head dimension."""

    grouped_named: bool
    """Whether the name of that pass says the size of the group."""

    vector_512_keys: int | None
    """Fewest keys for the vector kernels at head dimension 512; None for never."""

    full_dims: HeadDims
    """Head dimensions of the full kernels that every length may take."""

    nax_dims: HeadDims
    """Those of them that run on the neural accelerators."""

    named_values: bool
    """Whether full kernels say the head dimension of the values, too."""

    padded_dims: HeadDims
    """Head dimensions that long plain half-precision calls pad to 96 to use the accelerators."""

    split_256_masks: tuple[str, ...]
    """Masks with which long queries of head dimension 256 use the accelerators."""

    simd_256: bool
    """Whether square causal calls of head dimension 256 are fused without accelerators."""

    split_512: bool
    """Whether long causal calls of head dimension 512 use the accelerators."""

    blocked_512: bool
    """Whether long causal calls of head dimension 512 run in blocks without accelerators."""

    marked: bool
    """Whether routes without a fused kernel are marked as such."""


RULES: Final = ByVersion(
    AttentionRules(
        vector_dims=_same(64, 96, 128, 256),
        vector_rows=None,
        long_letters="d",
        tuned_blocks=False,
        grouped={},
        grouped_named=False,
        vector_512_keys=None,
        full_dims=_same(64, 80, 128),
        nax_dims=frozenset(),
        named_values=False,
        padded_dims=frozenset(),
        split_256_masks=(),
        simd_256=False,
        split_512=False,
        blocked_512=False,
        marked=False,
    ),
    {
        "0.30.0": {"nax_dims": _same(64, 128)},
        "0.30.6": {"vector_rows": 32, "long_letters": "ds", "tuned_blocks": True},
        "0.32.1": {
            "vector_dims": _same(64, 96, 128, 256) | {(192, 128)},
            "full_dims": _same(64, 72, 80, 96, 128),
            "nax_dims": _same(64, 96, 128),
        },
        "0.32.2": {"grouped": {64: (8,), 128: (8,)}, "split_256_masks": ("causal",)},
        "0.32.3": {
            "vector_dims": _same(64, 96, 128, 256) | {(192, 128), (96, 64)},
            "grouped": {64: (8,), 128: (8, 12, 16)},
            "grouped_named": True,
            "vector_512_keys": 1024,
            "full_dims": _same(64, 72, 80, 96, 128) | {(96, 64)},
            "nax_dims": _same(64, 96, 128) | {(96, 64)},
            "named_values": True,
            "padded_dims": _same(72, 80),
            "split_256_masks": ("causal", "bool", "float"),
            "simd_256": True,
            "split_512": True,
        },
        "0.32.4": {"blocked_512": True, "marked": True},
    },
)
"""Fused attention by version."""
