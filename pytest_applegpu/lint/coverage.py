"""Does a launch cover the whole result, and are sizes told to the kernel as they are?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import prod
from typing import Final

from pytest_applegpu.lint.extents import Extent
from pytest_applegpu.lint.subject import Fault, Subject, partitions
from pytest_applegpu.routing.calls import Attention, GatherMM, GatherQMM, Quantized
from pytest_applegpu.routing.copies import ceil_div
from pytest_applegpu.routing.launch import Launch, Tile

Covered = tuple[int, int, int]
"""Rows, columns and batch that a launch reaches."""

_GEMV: Final = re.compile(r"bm(\d+)_bn(\d+)_sm(\d+)_sn(\d+)_tm(\d+)_tn(\d+)")
_NUMBER: Final = {name: re.compile(rf"_{name}_?(\d+)") for name in ("nv", "kl", "r")}
_FLAGS: Final = re.compile(r"_align_([MNK])_([tn])")

_QUAD_OUTPUTS: Final = 64
_QVM_COLUMNS: Final = 64
_WIDE_COLUMNS: Final = 4
_VOCABULARY: Final = 65536
_WIDE_QVM: Final = frozenset({"0.29.3", "0.30.0"})
"""Releases whose qvm kernels take 32 columns a SIMD-group whatever the group is."""


def uncovered(subject: Subject) -> Iterator[Fault]:
    """Yield launches whose grid, times what a threadgroup computes, ends before the result does."""
    for launch, sizes in subject.multiplied:
        reached = _reached(subject, launch, sizes)
        if reached is None:
            continue
        wanted = (sizes.m, sizes.n, sizes.batch)
        for name, has, needs in zip(("rows", "columns", "batch"), reached, wanted, strict=True):
            if has < needs:
                yield Fault(launch.label, f"{name}: {has} of {needs} are covered, {launch.grid}")


def false_alignment(subject: Subject) -> Iterator[Fault]:
    """Yield kernels told that M, N or K is whole tiles when it is not: they check no bounds."""
    for launch, sizes in subject.multiplied:
        tile = launch.tile
        if tile is None or isinstance(subject.call, Attention):
            continue
        for axis, size, by in _sides(sizes, tile):
            if axis in _claimed(launch) and size % by:
                yield Fault(
                    launch.label,
                    f"told that {axis} is whole tiles: {size} % {by} = {size % by} ({tile})",
                )


def no_threadgroups(subject: Subject) -> Iterator[Fault]:
    """Yield launches of an empty grid."""
    for launch in subject.route.launches:
        if prod(launch.grid) == 0:
            yield Fault(launch.label or launch.role, f"{launch.kernel}: grid {launch.grid}")


def _sides(sizes: Extent, tile: Tile) -> Iterator[tuple[str, int, int]]:
    yield "M", sizes.m, tile.bm
    yield "N", sizes.n, tile.bn
    yield "K", sizes.k, tile.bk


def _claimed(launch: Launch) -> set[str]:
    """Return the axes that a kernel is told are whole tiles.

    Where the accelerators cut K, or take segments of it, the kernel finds out about K itself.
    """
    name = launch.kernel + launch.suffix
    said = {axis for axis, flag in _FLAGS.findall(name) if flag == "t"}
    said |= {"M", "N"} if "_MN_taligned" in name else set()
    said |= {"K"} if "_K_taligned" in name else set()
    said |= {"N"} if "_alN_true" in name else set()
    return said - {"K"} if launch.label == "splitk_nax" else said


def _reached(subject: Subject, launch: Launch, sizes: Extent) -> Covered | None:
    for start, reach in _REACHES:
        if launch.label == start or (start.endswith("*") and launch.label.startswith(start[:-1])):
            return reach(subject, launch, sizes)
    return None


def _tiles(_: Subject, launch: Launch, sizes: Extent) -> Covered:
    tile, (x, y, z) = _tile(launch), launch.grid
    return y * tile.bm, x * tile.bn, sizes.batch if partitions(launch) > 1 else z


def _swizzled(_: Subject, launch: Launch, _sizes: Extent) -> Covered:
    tile, (x, y, z) = _tile(launch), launch.grid
    log = launch.params.get("swizzle_log", 0)
    return (y << log) * tile.bm, (x >> log) * tile.bn, z


def _in_line(_: Subject, launch: Launch, sizes: Extent) -> Covered:
    """One axis: all tiles of a partition, then those of the next."""
    tile, log = _tile(launch), launch.params.get("swizzle_log", 0)
    across = ceil_div(sizes.n, tile.bn)
    rows = launch.grid[0] // partitions(launch) // (across << log) << log
    return rows * tile.bm, across * tile.bn, sizes.batch


def _segments(_: Subject, launch: Launch, _sizes: Extent) -> Covered:
    tile = _tile(launch)
    last_first = "nax" in launch.label and tile.bk == 64
    x, y, z = (*launch.grid[1:], launch.grid[0]) if last_first else launch.grid
    return y * tile.bm, x * tile.bn, z


def _sorted_rows(subject: Subject, launch: Launch, sizes: Extent) -> Covered:
    """Where each matrix has threadgroups of its own, the worst way to share rows is what counts."""
    tile, (x, y, _) = _tile(launch), launch.grid
    if subject.launch_with("index") is None or "gather_mm_offsets" not in subject.route.kernels:
        return y * tile.bm, x * tile.bn, 1
    alone = min(sizes.m, _matrices(subject) - 1)
    needed = alone + ceil_div(sizes.m - alone, tile.bm)
    return (sizes.m if y >= needed else y * tile.bm), x * tile.bn, 1


def _matrices(subject: Subject) -> int:
    call = subject.call
    if isinstance(call, GatherMM):
        return prod(call.b.shape[:-2])
    return prod(call.weights.w[:-2]) if isinstance(call, GatherQMM) else 1


def _gemv(_: Subject, launch: Launch, sizes: Extent) -> Covered:
    found = _GEMV.search(launch.kernel)
    if found is None:
        raise ValueError(f"no layout in the name of {launch.kernel}")
    bm, bn, sm, sn, tm, tn = map(int, found.groups())
    each = bn * sn * tn if "gemv_t" in launch.label else bm * sm * tm
    reach = launch.grid[0] * each
    one_row = sizes.n != 1 if "gather" not in launch.label else sizes.m == 1
    return (sizes.m, reach, launch.grid[2]) if one_row else (reach, sizes.n, launch.grid[2])


def _gemv_wide(_: Subject, launch: Launch, sizes: Extent) -> Covered:
    x, y, z = launch.grid
    rows = sizes.m if sizes.n >= _VOCABULARY else x * _number("nv", launch)
    return rows, y * _WIDE_COLUMNS, z


def _qmv(_: Subject, launch: Launch, _sizes: Extent) -> Covered:
    x, y, z = launch.grid
    each = 2 * (_number("r", launch) if _NUMBER["r"].search(launch.kernel) else 4)
    return x, y * each, z


def _qmv_quad(_: Subject, launch: Launch, _sizes: Extent) -> Covered:
    x, y, z = launch.grid
    return x, y * _QUAD_OUTPUTS, z


def _qmv_wide(_: Subject, launch: Launch, _sizes: Extent) -> Covered:
    x, y, z = launch.grid
    return x * _number("nv", launch), y * 2 * (32 // _number("kl", launch)), z


def _qvm(subject: Subject, launch: Launch, sizes: Extent) -> Covered:
    """Two SIMD-groups of 32 columns, of a group's columns where those are fewer."""
    x, y, _ = launch.grid
    weights: Quantized = subject.call.weights  # type: ignore[union-attr]
    short = subject.target.basis.rules not in _WIDE_QVM and weights.group_size < 32
    return x, y * (2 * weights.group_size if short else _QVM_COLUMNS), sizes.batch


def _attention(_: Subject, launch: Launch, sizes: Extent) -> Covered:
    tile, (x, y, z) = _tile(launch), launch.grid
    return x * tile.bm, sizes.n, y * z


def _vectors(_: Subject, launch: Launch, sizes: Extent) -> Covered | None:
    if "2pass_1" in launch.kernel:
        return None
    return launch.grid[1], sizes.n, launch.grid[0]


def _tile(launch: Launch) -> Tile:
    if launch.tile is None:
        raise ValueError(f"{launch.kernel} has no tile")
    return launch.tile


def _number(name: str, launch: Launch) -> int:
    found = _NUMBER[name].search(launch.kernel)
    if found is None:
        raise ValueError(f"no {name} in the name of {launch.kernel}")
    return int(found[1])


_Reach = Callable[[Subject, Launch, Extent], Covered | None]

_REACHES: Final[tuple[tuple[str, _Reach], ...]] = (
    ("gemm_nax", _swizzled),
    ("splitk_nax", _in_line),
    ("thin_nax", _in_line),
    ("segmented*", _segments),
    ("gather_rhs*", _sorted_rows),
    ("gather_qmm_rhs*", _sorted_rows),
    ("gemv_wide*", _gemv_wide),
    ("gemv*", _gemv),
    ("gather_gemv*", _gemv),
    ("masked_gemv*", _gemv),
    ("qmv_quad", _qmv_quad),
    ("qmv_wide", _qmv_wide),
    ("qmv*", _qmv),
    ("gather_qmv*", _qmv),
    ("qvm*", _qvm),
    ("gather_qvm", _qvm),
    ("attn*", _attention),
    ("sdpa_vec*", _vectors),
    ("gemm", _tiles),
    ("splitk", _tiles),
    ("gather", _tiles),
    ("masked_gemm", _tiles),
    ("qmm*", _tiles),
    ("gather_qmm*", _tiles),
)
"""Which part of the result a launch reaches, by the beginning of its label; the first fits."""
