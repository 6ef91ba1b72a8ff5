"""What changed from release to release in products with quantized weights?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_applegpu.routing.versions import ByVersion

Limits = tuple[tuple[int, tuple[int, int, int]], ...]
"""Generations from which on a row holds, newest first; rows for small, medium, large matrices."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one release."""

    modes: frozenset[str]
    """Modes that the operations know."""
    shapes_first: bool
    """Shapes are looked at before the mode is."""
    bfloat16_scales: bool
    """Scales without biases count as bfloat16: gather_qmm casts x to what both promote to."""
    flat_x: str
    """What is said of an x of one dimension, before its shape."""
    flat_x_first: bool
    """It is said before indices are looked at."""
    nax: bool
    """Tiled kernels for the neural accelerators are there."""
    limits: Limits
    """Rows of x up to which vector kernels run, the Ultra aside."""
    split_align: int | None
    """Smallest part of K that split-K of transposed weights makes; None: no split-K."""
    split_accumulate: bool
    """Partial sums are float32 and added up by the dense split-K's kernel, not by a reduction."""
    wide: bool
    """`qmv_wide` is there, and the narrow `qmv_fast` of nvfp4."""
    fast_by_bits: bool
    """`qmv_fast` needs of K what its own step is, not 512."""
    fast_any_n: bool
    """`qmv_fast` takes any N; its names and those of `qmv` spell all parameters out."""
    quad_whole_words: bool
    """`qmv_quad` needs at least a packed word for each of four threads."""
    qvm_by_group: bool
    """`qvm` kernels cover twice a group's columns, at most 64, not always 64."""
    qvm_split_short: bool
    """`qvm_split_k` leaves columns out that do not fill a threadgroup."""
    nax_short: bool
    """The NAX kernel has blocks of 32 rows where one covers x."""
    nax_untransposed: bool
    """The NAX kernel of affine weights that are not transposed is used."""
    gather_nax_bk: int
    """bk that the NAX gather_qmm kernel is asked for with; only with 64 it exists."""
    rhs_short: bool
    """Sorted gather_qmm on NAX has blocks of 32 rows where experts get few."""
    rhs_offsets: bool
    """Sorted gather_qmm finds first where each expert's rows begin."""
    rhs_nax_untransposed: bool
    """Sorted gather_qmm runs on NAX for weights that are not transposed too."""
    qqmm_modes: frozenset[str]
    """Modes of qqmm; none: no such operation."""
    qqmm_general: bool
    """qqmm takes more than one row, and weights that are not packed yet."""


_FP_MODES: Final = frozenset({"mxfp4", "mxfp8", "nvfp4"})

RULES: Final = ByVersion(
    Rules(
        modes=frozenset({"affine", "mxfp4"}),
        shapes_first=True,
        bfloat16_scales=True,
        flat_x="Non-quantized input must have at least two dimensions but got input with shape",
        flat_x_first=False,
        nax=False,
        limits=((15, (18, 12, 10)), (13, (14, 10, 6)), (0, (18, 12, 10))),
        split_align=None,
        split_accumulate=False,
        wide=False,
        fast_by_bits=False,
        fast_any_n=False,
        quad_whole_words=False,
        qvm_by_group=False,
        qvm_split_short=True,
        nax_short=False,
        nax_untransposed=False,
        gather_nax_bk=32,
        rhs_short=False,
        rhs_offsets=False,
        rhs_nax_untransposed=False,
        qqmm_modes=frozenset(),
        qqmm_general=False,
    ),
    {
        "0.30.0": {
            "modes": _FP_MODES | {"affine"},
            "shapes_first": False,
            "bfloat16_scales": False,
            "nax": True,
        },
        "0.30.6": {"qvm_by_group": True, "qqmm_modes": frozenset({"mxfp8", "nvfp4"})},
        "0.31.2": {"split_align": 1},
        "0.32.1": {
            "flat_x": "Input must have at least two dimensions but got input with shape",
            "flat_x_first": True,
            "limits": (
                (17, (33, 25, 13)),
                (15, (13, 15, 13)),
                (13, (14, 10, 6)),
                (0, (18, 12, 10)),
            ),
            "split_align": 32,
            "wide": True,
            "fast_by_bits": True,
            "qvm_split_short": False,
            "gather_nax_bk": 64,
            "rhs_short": True,
            "qqmm_modes": _FP_MODES,
            "qqmm_general": True,
        },
        "0.32.2": {"nax_short": True},
        "0.32.3": {"nax_untransposed": True, "rhs_offsets": True},
        "0.32.4": {
            "split_accumulate": True,
            "fast_any_n": True,
            "quad_whole_words": True,
            "rhs_nax_untransposed": True,
        },
    },
)
