"""Which fills suit an operation? The others would prove nothing of it, or not be exact."""

from __future__ import annotations

from typing import Final

from pytest_applegpu.numerics.fills import FILLS

_ALL: Final = tuple(FILLS)

_PACKED: Final = ("integer", "normal", "uniform", "special")

_FILLS: Final[dict[str, tuple[str, ...]]] = {
    "matmul": _ALL,
    # Sums of `powers` are scaled line by line, and an addend is not: together they are not exact.
    # An addend is lost in what `round` makes the output round.
    "addmm": tuple(name for name in _ALL if name not in {"powers", "round"}),
    "gather_mm": _ALL,
    # Part of `tiny` is next to nothing, a column of `onehot` has one term: masks hide the rest.
    # What `cancel` adds up cancels only where both halves of it are let through.
    "block_masked_mm": tuple(name for name in _ALL if name not in {"tiny", "onehot", "cancel"}),
    # The one term of `onehot` lies in one segment, as the marked last ones of the others do.
    "segmented_mm": tuple(name for name in _ALL if name not in {"onehot", "spread", "large"}),
    # Weights are what codes mean: other fills say what both operands are.
    "quantized_matmul": _PACKED,
    "gather_qmm": _PACKED,
    # Other fills draw what these do.
    "sdpa": ("integer", "ones", "normal", "uniform", "spread", "special"),
    "conv1d": ("integer", "normal", "uniform"),
    "conv2d": ("integer", "normal", "uniform"),
    "quantize": ("integer", "normal"),
    "dequantize": ("integer", "normal"),
    "qqmm": ("integer", "normal"),
    # As for `addmm`, with a bias for the addend.
    "linear": tuple(name for name in _ALL if name not in {"powers", "round"}),
    "quantized_linear": _PACKED,
    "multi_head_attention": ("integer", "normal", "special"),
}


def fills_of(op: str) -> tuple[str, ...]:
    """Return the fills that operands of `op` are drawn by."""
    return _FILLS[op]


def drawn_fills(op: str) -> tuple[str, ...]:
    """Return those of them whose results are exact or bounded."""
    return tuple(name for name in fills_of(op) if FILLS[name].check in {"exact", "bounded"})
