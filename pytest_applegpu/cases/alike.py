"""Cases that make one product in two ways: views and copies, few rows and many, larger and smaller.

Each operand of an operation is once a view of each kind that fits it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_applegpu.cases.planned import Planned
from pytest_applegpu.dtypes import DType
from pytest_applegpu.operations.twins import why_alone
from pytest_applegpu.problem import Batch, Problem

VIEWS: Final = ("rows:3", "pad:5", "off:1", "neg", "axis", "bc", "heads", "step")
"""Row and column slice, offset by one, negative step, inserted axis, stride 0, permuted axes."""

_BASES: Final[dict[str, tuple[str, tuple[int, int, int], tuple[Batch, Batch]]]] = {
    "matmul": ("nt", (66, 35, 130), ((2, 3), (2, 3))),
    "addmm": ("nt", (66, 35, 130), ((2, 3), (2, 3))),
    "gather_mm": ("nt", (66, 35, 65), ((4,), (3,))),
    "block_masked_mm": ("nn", (130, 70, 100), ((2, 3), (2, 3))),
    "segmented_mm": ("nn", (66, 35, 130), ((), ())),
    "quantized_matmul": ("nt", (66, 40, 192), ((), ())),
    "gather_qmm": ("nt", (66, 40, 128), ((4,), (3,))),
    "linear": ("nt", (66, 35, 130), ((2, 3), ())),
    "quantized_linear": ("nt", (66, 40, 192), ((3,), ())),
}
"""Transposes, M, N and K, and both batches of the product that is made in two ways."""

_PARAMS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "addmm": (("alpha", "0.5"), ("beta", "-1")),
    "gather_mm": (("by", "both"), ("picks", "5")),
    "gather_qmm": (("by", "both"), ("picks", "5")),
}


def alike(op: str, dtypes: tuple[DType, ...]) -> Iterator[Planned]:
    """Yield the cases of one operation in each format; none where it is not linear in A."""
    for dtype in dtypes:
        yield from _of_format(op, dtype)


def alike_in_turn(op: str, dtypes: tuple[DType, ...]) -> Iterator[Planned]:
    """Yield each of the cases in one format: the next one each time."""
    for place, turn in enumerate(zip(*(_of_format(op, one) for one in dtypes), strict=True)):
        yield turn[place % len(dtypes)]


def _of_format(op: str, dtype: DType) -> Iterator[Planned]:
    if op not in _BASES:
        return
    base = _base(op, dtype)
    for check in ("scaling", "rows", "transposed"):
        if why_alone(check, base) is None:
            yield base, "normal", check
    for problem in _views(base):
        yield problem, "normal", "view"


def _base(op: str, dtype: DType) -> Problem:
    transpose, (m, n, k), (batch_a, batch_b) = _BASES[op]
    said = _PARAMS.get(op, ())
    return Problem(op, dtype, m, n, k, transpose, batch_a, batch_b, params=said)


def _views(base: Problem) -> Iterator[Problem]:
    """Yield the problem with one operand after the other laid out in each way that fits it."""
    for operand in base.operands:
        for layout in VIEWS:
            try:
                yield base.laid(operand.name, layout)
            except ValueError:  # a layout of stacks, and the operand is none
                continue
