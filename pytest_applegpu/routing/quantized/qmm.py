"""Which kernel multiplies many rows by quantized weights?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.routing.copies import block_dims, ceil_div
from pytest_applegpu.routing.launch import Launch, Tape, Tile
from pytest_applegpu.routing.quantized.product import Product, staged_bytes
from pytest_applegpu.routing.quantized.rules import Rules
from pytest_applegpu.routing.reduce import Columns, column_reduce
from pytest_applegpu.routing.target import Target

SIMD_TILE: Final = Tile(32, 32, 32, 2, 2)
NAX_TILE: Final = Tile(64, 64, 64, 2, 2)
NAX_SHORT_TILE: Final = Tile(32, 64, 64, 2, 2)

_SPLIT: Final = "qmm_t_splitk"
_WANTED_GROUPS: Final = 512
"""Threadgroups that split-K aims at."""


def qmm(tape: Tape, target: Target, rules: Rules, p: Product) -> None:
    """Write down the matrix kernel: split-K before NAX before SIMD-groups."""
    parts = _parts(rules, p)
    if parts > 1:
        tape.because("transposed, one product, few tiles: K is split", f"in {parts}")
        _split(tape, rules, p, parts)
    elif _fits_nax(tape, target, rules, p):
        tape.add(_nax(rules, p))
    else:
        tape.add(_simd(p))


def gather_qmm_tiled(tape: Tape, target: Target, rules: Rules, p: Product) -> None:
    """Write down the matrix kernel of gathered weights."""
    letter = "t" if p.transpose else "n"
    if rules.nax and target.use_nax(p.dtype) and p.transpose and p.K % 64 == 0:
        tape.because("NAX, transposed, K % 64 == 0", f"K {p.K}")
        asked = Tile(64, 64, rules.gather_nax_bk, 2, 2)
        tail = f"_{asked}{_aligned(p, asked)}"
        tape.add(_tiled(p, f"gather_qmm_{letter}_nax", asked, tail, nax=True))
    else:
        tape.add(_tiled(p, f"gather_qmm_{letter}", SIMD_TILE, _aligned(p, SIMD_TILE), nax=False))


def _parts(rules: Rules, p: Product) -> int:
    """Return in how many equal parts K is split, 1 for none: whole groups, and whole steps."""
    if rules.split_align is None or not p.transpose or p.B != 1:
        return 1
    align = max(rules.split_align, p.group)
    tiles = ceil_div(p.N, SIMD_TILE.bn) * ceil_div(p.M, SIMD_TILE.bm)
    parts = min(max(1, _WANTED_GROUPS // tiles), p.K // align)
    while parts > 1 and p.K % (parts * align) != 0:
        parts -= 1
    return max(parts, 1)


def _split(tape: Tape, rules: Rules, p: Product, parts: int) -> None:
    tape.add(_tiled(p, _SPLIT, SIMD_TILE, _aligned(p, SIMD_TILE), nax=False, depth=parts))
    if rules.split_accumulate:
        group = block_dims(p.N, p.M, 1)
        kernel = f"steel_gemm_splitk_accum_{p.dtype}_float32"
        tape.add(Launch(kernel, "accumulate", (p.N, p.M, 1), group, "threads", label=_SPLIT))
    else:
        column_reduce(tape, Columns("sum", p.dtype, p.out, parts, p.M * p.N))


def _fits_nax(tape: Tape, target: Target, rules: Rules, p: Product) -> bool:
    if not (rules.nax and target.use_nax(p.dtype)):
        return False
    fits = p.K % 64 == 0 and (p.transpose or _fits_untransposed(rules, p))
    rule = "NAX" if fits else "NAX there, but K, N or the mode does not fit"
    tape.because(rule, f"K {p.K}, N {p.N}, {p.mode}, transpose {p.transpose}")
    return fits


def _fits_untransposed(rules: Rules, p: Product) -> bool:
    return rules.nax_untransposed and p.mode == "affine" and p.N % 64 == 0


def _nax(rules: Rules, p: Product) -> Launch:
    short = rules.nax_short and p.transpose and NAX_SHORT_TILE.bm >= p.M
    tile = NAX_SHORT_TILE if short else NAX_TILE
    tail = f"_{tile}{_aligned(p, tile)}{p.batch}"
    return _tiled(p, f"qmm_{'t' if p.transpose else 'n'}_nax", tile, tail, nax=True)


def _simd(p: Product) -> Launch:
    tail = f"{_aligned(p, SIMD_TILE)}{p.batch}"
    return _tiled(p, f"qmm_{'t' if p.transpose else 'n'}", SIMD_TILE, tail, nax=False)


def _tiled(
    p: Product, family: str, tile: Tile, tail: str, *, nax: bool, depth: int | None = None
) -> Launch:
    grid = p.tiles(tile, p.B if depth is None else depth)
    group = (32, tile.wn, tile.wm)
    return p.launch(family, grid, group, tail, tile=tile, staged=staged_bytes(p, tile, nax=nax))


def _aligned(p: Product, tile: Tile) -> str:
    """Return the part of a name that says whether N is whole tiles: of transposed weights only."""
    return f"_alN_{str(p.N % tile.bn == 0).lower()}" if p.transpose else ""
