"""The choices that a case is made of, and which of them exclude each other."""

from __future__ import annotations

from typing import Any, Final

from pytest_applegpu.problem import TRANSPOSES, Batch

TILES: Final = (16, 32, 64, 128, 512)
"""Edges of tiles in MLX's kernels; both neighbours of each are sizes to try."""

SIZES: Final = tuple(sorted({1, 2, 3, 5, *(tile + d for tile in TILES for d in (-1, 0, 1))}))

BATCHES: Final[dict[str, tuple[Batch, Batch]]] = {
    "none": ((), ()),
    "b3": ((3,), (3,)),
    "b2x3": ((2, 3), (2, 3)),
    "b2x1:1x3": ((2, 1), (1, 3)),
    "b4:_": ((4,), ()),
    "_:b3": ((), (3,)),
}

LAYOUTS: Final = (
    "plain",
    "pad:1",
    "pad:8",
    "rows:3",
    "off:1",
    "off:4",
    "step",
    "neg",
    "axis",
    "bc",
    "heads",
)

_BATCHED_LAYOUTS: Final = ("bc", "heads")
_WITHOUT_A: Final = tuple(name for name, (a, _) in BATCHES.items() if not a)
_WITHOUT_B: Final = tuple(name for name, (_, b) in BATCHES.items() if not b)

Row = dict[str, Any]


def factors(dtypes: tuple[str, ...], fills: tuple[str, ...], sizes: tuple[int, ...]) -> Row:
    """Return each factor's levels, in a fixed order."""
    return {
        "dtype": list(dtypes),
        "transpose": list(TRANSPOSES),
        "m": list(sizes),
        "n": list(sizes),
        "k": list(sizes),
        "batch": list(BATCHES),
        "layout_a": list(LAYOUTS),
        "layout_b": list(LAYOUTS),
        "fill": list(fills),
        "via": ["function", "operator"],
    }


def constraints() -> list[Row]:
    """Say that a stride-0 or permuted batch needs a batch on its operand."""
    return [
        {"operator": "not", "condition": _both(layout, batches)}
        for layout, batches in (("layout_a", _WITHOUT_A), ("layout_b", _WITHOUT_B))
    ]


def _both(layout: str, batches: tuple[str, ...]) -> Row:
    return {
        "operator": "and",
        "conditions": [
            {"operator": "in", "left": layout, "values": list(_BATCHED_LAYOUTS)},
            {"operator": "in", "left": "batch", "values": list(batches)},
        ],
    }
