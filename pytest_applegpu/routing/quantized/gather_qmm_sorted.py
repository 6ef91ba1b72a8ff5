"""Which kernel multiplies rows that come expert after expert by quantized weights?"""

from __future__ import annotations

from math import prod
from typing import Final

from pytest_applegpu.routing.copies import ceil_div
from pytest_applegpu.routing.indices import offsets
from pytest_applegpu.routing.launch import Launch, Tape, Tile
from pytest_applegpu.routing.quantized.product import Product, staged_bytes
from pytest_applegpu.routing.quantized.qmm import NAX_SHORT_TILE, NAX_TILE
from pytest_applegpu.routing.quantized.rules import Rules
from pytest_applegpu.routing.target import Target

_SIMD_TILE: Final = Tile(16, 32, 32, 1, 2)


def experts(p: Product) -> int:
    """Return how many matrices of weights there are."""
    return prod(p.weights.w[:-2])


def gather_qmm_sorted(tape: Tape, target: Target, rules: Rules, p: Product, rows: int) -> None:
    """Write down the kernel that goes over `rows` rows of x by tiles, whatever expert they take."""
    if rules.rhs_offsets:
        tape.add(offsets(experts(p)))
    nax = rules.nax and target.use_nax(p.dtype) and (p.transpose or rules.rhs_nax_untransposed)
    tile = _nax_tile(tape, rules, p, rows) if nax else _SIMD_TILE
    tape.add(_launch(rules, p, rows, tile, nax=nax))


def _nax_tile(tape: Tape, rules: Rules, p: Product, rows: int) -> Tile:
    per_expert = rows // experts(p)
    if rules.rhs_short and per_expert < NAX_TILE.bm:
        tape.because("NAX, few rows an expert: bm 32", f"{per_expert} < {NAX_TILE.bm}")
        return NAX_SHORT_TILE
    tape.because("NAX: bm 64", f"{per_expert} rows an expert")
    return NAX_TILE


def _launch(rules: Rules, p: Product, rows: int, tile: Tile, *, nax: bool) -> Launch:
    return p.launch(
        f"gather_qmm_rhs_{'nax_' if nax else ''}{'nt' if p.transpose else 'nn'}",
        (ceil_div(p.N, tile.bn), _tiles_down(rules, p, rows, tile), 1),
        (32, tile.wn, tile.wm),
        f"_bm_{tile.bm}_bn_{tile.bn}_bk_{tile.bk}_wm_{tile.wm}_wn_{tile.wn}",
        suffix=_alignment(p, rows, tile),
        tile=tile,
        staged=staged_bytes(p, tile, nax=nax),
    )


def _tiles_down(rules: Rules, p: Product, rows: int, tile: Tile) -> int:
    """Return how many tiles lie below each other: one more an expert where each begins its own."""
    tiles = ceil_div(rows, tile.bm)
    return min(rows, tiles + experts(p) - 1) if rules.rhs_offsets else tiles


def _alignment(p: Product, rows: int, tile: Tile) -> str:
    sizes = zip("MNK", (rows, p.N, p.K), (tile.bm, tile.bn, tile.bk), strict=True)
    return "".join(f"_align_{side}_{'n' if size % by else 't'}" for side, size, by in sizes)
