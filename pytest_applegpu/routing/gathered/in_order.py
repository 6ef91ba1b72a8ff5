"""Which kernel multiplies single rows that meet the matrices of b in order?"""

from __future__ import annotations

from math import prod
from typing import Final

from pytest_applegpu.routing.arrays import Array, broadcast_to
from pytest_applegpu.routing.copies import ceil_div, contiguous_copy, row_contiguous
from pytest_applegpu.routing.dense.matrices import Matrix
from pytest_applegpu.routing.dense.steel import staged_bytes
from pytest_applegpu.routing.gathered.gathering import Gathering, aligned
from pytest_applegpu.routing.gathered.rules import RULES, GatherRules
from pytest_applegpu.routing.indices import offsets
from pytest_applegpu.routing.launch import NO_SUCH_AXIS, Launch, Refused, Tape, Tile
from pytest_applegpu.routing.target import Target

SIMD_TILE: Final = Tile(16, 64, 16, 1, 2)

MANY_ROWS: Final = 48
SOME_ROWS: Final = 24
"""Rows for each matrix above which the accelerators' tile has 64 or 32 of them, else 16."""


def sorted_rows(tape: Tape, gathering: Gathering, target: Target) -> None:
    """Write down the copies, and the kernel that takes neighbouring rows of one matrix together."""
    rules = RULES.at(target.version)
    row_contiguous(tape, gathering.rhs)
    b = batch_contiguous(tape, gathering.b)
    a = _rows(tape, gathering)
    rows, matrices = a.size // gathering.k, _matrices(gathering.b, rules)
    nax = rules.nax and target.use_nax(gathering.dtype)
    tape.because(
        "single rows, sorted by matrix: rows of one matrix go together",
        f"{rows} rows, {matrices} matrices, {'accelerators' if nax else 'SIMD'}",
    )
    tile = _nax_tile(tape, rows, matrices) if nax else SIMD_TILE
    down = ceil_div(rows, tile.bm)
    if rules.offsets:
        tape.add(offsets(matrices))
        down = min(rows, down + matrices - 1)
    lda = gathering.k if rules.rows_apart else a.strides[-2]
    tape.add(_launch(gathering, b, (rows, down, lda), tile, nax=nax))


def _launch(
    gathering: Gathering, b: Matrix, a_rows: tuple[int, int, int], tile: Tile, *, nax: bool
) -> Launch:
    """Return the launch over all rows: how many, their threadgroups, and how far apart they lie."""
    rows, down, lda = a_rows
    sizes = rows, gathering.n, gathering.k
    dtype, forms = gathering.dtype, f"n{b.letter}"
    joined = {} if rows == 1 else {"M": rows}
    return Launch(
        f"steel_gather_mm_rhs_{'nax_' * nax}{forms}_{dtype}_{dtype}_{tile}",
        "matmul",
        (ceil_div(gathering.n, tile.bn), down, 1),
        (32, tile.wn, tile.wm),
        suffix=aligned(sizes, tile),
        params=joined | gathering.seen.leading(sizes, lda, b.ld),
        label="gather_rhs_nax" if nax else "gather_rhs",
        tile=tile,
        staged=0 if nax else staged_bytes(tile, dtype, forms),
    )


def _matrices(b: Array, rules: GatherRules) -> int:
    """Return how many matrices rows are taken to be shared among."""
    return prod(b.shape[:-2]) if rules.offsets else b.shape[0]


def _rows(tape: Tape, gathering: Gathering) -> Array:
    """Return a with a row for each index, dense: copied out where rows are used repeatedly."""
    a = gathering.a
    if prod(a.shape[:-2]) != gathering.batch:
        a = broadcast_to(a, (*gathering.rhs.shape, *a.shape[-2:]))
    return row_contiguous(tape, a)


def _nax_tile(tape: Tape, rows: int, matrices: int) -> Tile:
    each = rows // matrices
    bm, wm = (64, 2) if each > MANY_ROWS else (32, 1) if each > SOME_ROWS else (16, 1)
    tape.because("rows for each matrix give bm", f"{rows} // {matrices} = {each}: bm {bm}")
    return Tile(bm, 128, 128, wm, 4)


def batch_contiguous(tape: Tape, array: Array) -> Matrix:
    """Return matrices in the form they lie in if their batch axes lie in order, else copied.

    Raises:
        Refused: one matrix without a batch axis, which MLX looks for, does not lie row by row.
    """
    (rows, columns), (k, n) = array.strides[-2:], array.shape[-2:]
    if array.row_contiguous:
        return Matrix(array, transposed=False, ld=rows)
    if array.ndim == 2:
        tape.because("one matrix, not row-major: batch axes are asked for", f"{array.strides}")
        raise Refused(NO_SUCH_AXIS)
    if _in_order(array):
        if columns == 1 and (n != 1 or rows == n):
            return Matrix(array, transposed=False, ld=rows)
        if rows == 1 and (n != 1 or columns == k):
            return Matrix(array, transposed=True, ld=columns)
    tape.because("matrices do not lie in order: copied", f"strides {array.strides}")
    copy = contiguous_copy(tape, array)
    return Matrix(copy, transposed=False, ld=copy.strides[-2])


def _in_order(array: Array) -> bool:
    """Return MLX's test of the batch axes, which takes the size of the outer axis of each two."""
    shape, strides = array.shape, array.strides
    return all(strides[axis + 1] * shape[axis] == strides[axis] for axis in range(array.ndim - 3))
