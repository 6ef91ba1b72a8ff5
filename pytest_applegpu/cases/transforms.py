"""Cases that make one call through each transform of MLX's: small ones, as kernels are the same.

What a transform may get wrong is what is broadcast, picked, masked or a view, and the order of
axes: each has a problem here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_applegpu.cases.planned import Planned, planned
from pytest_applegpu.dtypes import DType
from pytest_applegpu.operations.ways import TRANSFORMS

_LINES: Final[dict[str, tuple[str, ...]]] = {
    "matmul": (
        "nn-5x7x9",
        "nt-4x6x17-b2x1:1x3",
        "tn-6x5x9-b2:_ b=pad:3",
        "nn-1x7x9 a=vec",
        "nt-5x7x9 via=einsum",
        "nn-5x7x9 via=inner",
    ),
    "addmm": (
        "nt-5x7x9 alpha=0.5 beta=-1",
        "nn-5x7x9-b2x3 addend=row beta=2",
        "nn-1x7x9 a=vec",
        "tn-4x6x9-b2:_ addend=matrix alpha=2",
    ),
    "gather_mm": (
        "nn-5x7x9-b4:3 by=both picks=5",
        "nt-1x7x9-b6:3 order=sorted",
        "nn-5x7x9-b2:4 by=lhs",
    ),
    "block_masked_mm": (
        "nn-40x33x50 block=32",
        "nt-33x40x50-b2 block=32 kind=float masks=lr over=all",
    ),
    "segmented_mm": ("nn-5x7x33", "nt-5x7x33 cut=overlap"),
    "quantized_matmul": ("nt-5x8x128", "nn-5x64x32 bits=8 group=32", "nt-5x8x64 mode=mxfp4"),
    "gather_qmm": ("nt-5x8x64-b4:3 by=both picks=5", "nt-1x8x64-b6:3 mode=mxfp8 order=sorted"),
    "sdpa": (
        "nt-9x12x64-b1x4:1x2",
        "nt-5x9x64-b2x2:2x2 mask=causal",
        "nt-5x9x64-b2x4:2x2 mask=bool over=heads",
        "nt-5x9x64-b1x2:1x2 sinks=yes",
    ),
    "conv1d": ("nt-19x4x24-b2", "nt-8x5x12-b2 pad=1 taps=4"),
    "conv2d": ("nt-35x5x18-b2 width=7", "nt-20x5x36-b2 pad=1 width=5"),
}
"""Problems of each operation without their format, the telling ones first."""

_ROUNDED: Final = frozenset({"sdpa"})
"""Operations whose exact data have no gradient: a softmax that is settled does not move."""

Line = tuple[str, str, str]
"""A problem's text without operation and format, its fill and its check."""


def _lines(op: str) -> Iterator[Line]:
    for check in TRANSFORMS:
        fill = "normal" if check == "gradient" and op in _ROUNDED else "integer"
        yield from ((line, fill, check) for line in _LINES.get(op, ()) if not _still(line, check))


def _still(line: str, check: str) -> bool:
    """Whether a problem has no gradient here: that of sinks is none of a product."""
    return check == "gradient" and "sinks=yes" in line


def _real(op: str) -> Iterator[Line]:
    """Yield the first problem with numbers that are rounded, for the checks that take them."""
    for check in TRANSFORMS:
        if check != "vmap" and not (check == "gradient" and op in _ROUNDED):
            yield from ((line, "normal", check) for line in _LINES.get(op, ())[:1])


def transforms(op: str, dtypes: tuple[DType, ...]) -> Iterator[Planned]:
    """Yield every case of one operation in each format."""
    for dtype in dtypes:
        yield from (_planned(op, dtype, line) for line in (*_lines(op), *_real(op)))


def transforms_in_turn(op: str, dtypes: tuple[DType, ...]) -> Iterator[Planned]:
    """Yield each problem for each check in one format: the next one each time."""
    turns = _LINES.get(op, ())
    for line in _lines(op) if dtypes else ():
        problem, _, check = line
        turn = turns.index(problem) + TRANSFORMS.index(check)
        yield _planned(op, dtypes[turn % len(dtypes)], line)


def _planned(op: str, dtype: DType, line: Line) -> Planned:
    problem, fill, check = line
    return planned(op, dtype, f"{problem} fill={fill} check={check}")
