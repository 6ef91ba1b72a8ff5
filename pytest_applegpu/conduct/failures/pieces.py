"""Into which pieces does a predicted route cut the rows, the columns and K of a product?

Of every kernel is told only what its source says. SIMD-groups of the accelerators' kernels take
neighbouring rows and columns of a tile; those of all others take fragments of 8 in turn
(`steel/gemm/mma.h`, `steel/gemm/nax.h` and `gemv.h` of ml-explore/mlx).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_applegpu.problem import Problem
from pytest_applegpu.routing.dense.gemv import gemv_tile
from pytest_applegpu.routing.dense.gemv_wide import wide_config
from pytest_applegpu.routing.launch import Launch, Route, Tile

FRAGMENT: Final = 8
NAX_FRAGMENT: Final = 16
"""Rows, and columns, of what one matrix instruction takes."""

_WIDE_COLUMNS: Final = 4
"""Columns of a threadgroup of gemv_wide."""

_TILED: Final = frozenset(
    {"gemm", "splitk", "gemm_nax", "splitk_nax", "thin_nax", "masked_gemm"}
    | {"qmm_t", "qmm_n", "qmm_t_nax", "qmm_n_nax"}
)
"""Labels of launches whose tiles lie over the result from its first row and column on."""


@dataclass(frozen=True, slots=True)
class Cut:
    """How an axis of the result is dealt out to threadgroups, and within one to SIMD-groups.

    Attributes:
        text: what a tile is, as in `BM = 64`.
        size: elements of a tile.
        groups: SIMD-groups that share it along this axis.
        run: neighbouring elements that a SIMD-group takes in its turn.
        fragment: elements that one instruction takes, 0 where there are no fragments.
    """

    text: str
    size: int
    groups: int = 1
    run: int = 0
    fragment: int = 0


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of a product; None where an axis is not cut, or not known to be.

    Attributes:
        rows: cut of M.
        columns: cut of N.
        step: K of one pass through the kernel's loop.
        partition: K of a partition, where K is cut; the last one may differ.
        partitions: how many there are.
        joined: rows in all where the batch has joined M.
    """

    rows: Cut | None = None
    columns: Cut | None = None
    step: int | None = None
    partition: int | None = None
    partitions: int = 1
    joined: int | None = None


def pieces_of(route: Route, problem: Problem) -> Pieces | None:
    """Return the pieces that `route` cuts `problem` into; None where its kernel is not known."""
    launches = [launch for launch in route.launches if launch.role == "matmul"]
    if len(launches) != 1:
        return None
    launch = launches[0]
    if launch.label in _TILED and launch.tile is not None:
        return _tiled(launch, launch.tile)
    if launch.label in {"gemv", "gemv_t"}:
        return _vector(launch, problem)
    return _wide(problem) if launch.label == "gemv_wide" else None


def _tiled(launch: Launch, tile: Tile) -> Pieces:
    nax = launch.label.endswith("_nax")
    return Pieces(
        _cut("BM", tile.bm, tile.wm, nax=nax),
        _cut("BN", tile.bn, tile.wn, nax=nax),
        tile.bk,
        launch.params.get("partition_size"),
        launch.params.get("partitions", 1),
        launch.params.get("M"),
    )


def _cut(name: str, size: int, groups: int, *, nax: bool) -> Cut:
    run, fragment = (size // groups, NAX_FRAGMENT) if nax else (FRAGMENT, FRAGMENT)
    return Cut(f"{name} = {size}", size, groups, run, fragment)


def _vector(launch: Launch, problem: Problem) -> Pieces:
    outputs = problem.n if problem.n != 1 else problem.m
    size = gemv_tile(outputs, problem.k, transposed=launch.label == "gemv_t").outputs
    cut = Cut(f"a threadgroup's {size} outputs", size)
    return Pieces(columns=cut) if problem.n != 1 else Pieces(rows=cut)


def _wide(problem: Problem) -> Pieces:
    rows = wide_config(problem.m, problem.n).nv
    return Pieces(
        Cut(f"a pass's {rows} rows", rows),
        Cut(f"a threadgroup's {_WIDE_COLUMNS} columns", _WIDE_COLUMNS),
    )
