"""Along which sizes, and with which parameters, is the dispatch of each operation asked?

Wherever rules look at a size, some base has it near. Only plain operands are walked: what layouts
change is found by cases with layouts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pytest_applegpu.problem import TRANSPOSES, Batch, Pairs

LATTICE: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
"""Sizes at which the rules are asked; routes that begin and end between two are not seen."""

Point = tuple[int, int, int, int]
"""M, N, K and the number of products: of a batch, of picks, or 1 for no batch."""

AXES: Final = ("m", "n", "k", "batch")

Batches = Callable[[int], tuple[Batch, Batch]]


def _both(count: int) -> tuple[Batch, Batch]:
    """Return a batch of both operands, none for 1."""
    batch = (count,) if count > 1 else ()
    return batch, batch


def _none(_: int) -> tuple[Batch, Batch]:
    return (), ()


STACK: Final = 4
"""Matrices that are picked from, so that picks an expert are reached with few of them."""


def _picked(count: int) -> tuple[Batch, Batch]:
    """Return a row of A for each pick, and a stack of matrices."""
    return (count,), (STACK,)


@dataclass(frozen=True, slots=True)
class Space:
    """Bases, of which one size at a time is walked along its lattice.

    Attributes:
        bases: the points that are walked from.
        counts: the lattice of the number of products.
        batches: the batches of A and B for a number of products.
        lattice: that of M, N and K.
        transposes: which operands are transposed.
        params: parameters of the operation, each in turn.
        apart: points of routes of their own, from which nothing is walked.
    """

    bases: tuple[Point, ...]
    counts: tuple[int, ...] = (1, 2, 3)
    batches: Batches = _both
    lattice: tuple[int, ...] = LATTICE
    transposes: tuple[str, ...] = ("nn", "nt")
    params: tuple[Pairs, ...] = ((),)
    apart: tuple[Point, ...] = ()


_MATMUL: Final = Space(
    bases=(
        (8, 48, 256, 1),
        (16, 16, 512, 1),
        (48, 48, 96, 1),
        (100, 100, 300, 1),
        (200, 640, 1200, 1),
        (640, 640, 640, 1),
        (1, 512, 512, 1),
        (512, 1, 512, 1),
        (1, 2048, 96, 1),
        (32, 2100, 128, 1),
        (2048, 64, 4096, 1),
    ),
    transposes=TRANSPOSES,
    apart=((1, 1, 512, 1), (2, 48, 512, 1)),
)

_ADDMM: Final = Space(
    bases=((8, 48, 256, 1), (48, 48, 96, 1), (640, 640, 640, 1), (1, 512, 512, 1)),
    lattice=LATTICE[:-1],
    apart=((512, 1, 512, 1), (16, 16, 512, 1), (1, 1, 512, 1)),
)

_GATHER_MM: Final = Space(
    bases=((1, 512, 96, 64), (8, 48, 256, 16)),
    counts=(1, 16, 64, 128, 256),
    batches=_picked,
    lattice=LATTICE[:-1],
    params=((("order", "sorted"),), ()),
    apart=((48, 48, 96, 16), (512, 1, 96, 16)),
)

_BLOCK_MASKED_MM: Final = Space(
    bases=((1, 512, 512, 1), (512, 1, 512, 1)),
    counts=(1, 2),
    lattice=LATTICE[:-1],
    params=((), (("block", "32"),)),
    apart=((48, 48, 96, 1),),
)

_SEGMENTED_MM: Final = Space(
    bases=((48, 48, 256, 1), (640, 640, 640, 1)),
    counts=(1,),
    batches=_none,
    lattice=LATTICE[:-1],
)

_MODES: Final[tuple[Pairs, ...]] = (
    (),
    (("bits", "8"),),
    (("bits", "3"), ("group", "32")),
    (("mode", "nvfp4"),),
    (("mode", "mxfp4"),),
    (("mode", "mxfp8"),),
)
"""Ways to pack weights that rules tell apart: by bits, by group, by whether there are biases."""

_QUANTIZED_MATMUL: Final = Space(
    bases=((1, 512, 1024, 1), (16, 512, 512, 1), (16, 2112, 512, 1), (16, 64, 4160, 1)),
    counts=(1, 2),
    lattice=(*LATTICE, 16384),
    params=_MODES,
    apart=((640, 1024, 512, 1), (640, 1024, 480, 1), (2, 64, 64, 1), (1, 512, 96, 1)),
)

_GATHER_QMM: Final = Space(
    bases=((1, 512, 512, 16), (8, 512, 512, 16)),
    counts=(1, 8, 16, 64, 256),
    batches=_picked,
    lattice=LATTICE[:-1],
    params=(
        (("order", "sorted"),),
        (("mode", "nvfp4"), ("order", "sorted")),
        (),
        (("bits", "8"),),
    ),
    apart=((64, 512, 512, 16), (64, 512, 480, 16), (1, 512, 192, 16)),
)

_QQMM: Final = Space(
    bases=((1, 512, 512, 1), (8, 64, 512, 1)),
    counts=(1,),
    batches=_none,
    lattice=LATTICE[:-2],
    transposes=("nt",),
    params=((), (("mode", "mxfp8"),), (("given", "plain"),)),
    apart=((2, 64, 64, 1), (1, 500, 192, 1)),
)


def _heads(count: int) -> tuple[Batch, Batch]:
    """Return heads of queries for each of two heads of keys."""
    return (1, 2 * count), (1, 2)


_SDPA: Final = Space(
    bases=((1, 512, 128, 1), (16, 64, 64, 1), (4, 64, 32, 1)),
    counts=(1, 2, 8),
    batches=_heads,
    lattice=LATTICE[:-1],
    transposes=("nt",),
    params=((), (("mask", "causal"),)),
    apart=((1, 1100, 128, 1), (1, 4200, 128, 2), (16, 64, 100, 1)),
)

SPACES: Final[dict[str, Space]] = {
    "matmul": _MATMUL,
    "addmm": _ADDMM,
    "gather_mm": _GATHER_MM,
    "block_masked_mm": _BLOCK_MASKED_MM,
    "segmented_mm": _SEGMENTED_MM,
    "quantized_matmul": _QUANTIZED_MATMUL,
    "gather_qmm": _GATHER_QMM,
    "qqmm": _QQMM,
    "sdpa": _SDPA,
}
"""The space of each operation whose boundaries are looked for."""
