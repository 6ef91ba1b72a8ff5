"""Which kernel does `block_masked_mm` launch? Never on the accelerators, never with K cut."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

from pytest_applegpu.routing.arrays import Array, dense
from pytest_applegpu.routing.broadcasting import batches_together
from pytest_applegpu.routing.calls import BlockMaskedMM, Matmul
from pytest_applegpu.routing.checks import as_matrices, as_real, inner_sizes
from pytest_applegpu.routing.copies import ceil_div, fill
from pytest_applegpu.routing.dense import operations
from pytest_applegpu.routing.dense.gemv import GemvTile
from pytest_applegpu.routing.dense.given import Given, given
from pytest_applegpu.routing.dense.matrices import Matrix, matrix
from pytest_applegpu.routing.dense.steel import flag, staged_bytes
from pytest_applegpu.routing.launch import Launch, Refused, Tape, Tile
from pytest_applegpu.routing.target import Target

OP: Final = "block_masked_mm"

BLOCKS: Final = (32, 64)
"""Block sizes that have kernels."""

Batch = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Problem:
    """Both operands, their common batch, and the kinds of mask in the kernel's name."""

    a: Matrix
    b: Matrix
    batch: Batch
    block: int
    masks: str
    seen: Given

    @property
    def sizes(self) -> tuple[int, int, int]:
        """M, N and K."""
        return self.a.array.shape[-2], self.b.array.shape[-1], self.a.array.shape[-1]


def block_masked_mm(call: BlockMaskedMM, target: Target, tape: Tape) -> None:
    """Write down what MLX launches: matmul without masks, gemv for vectors, else tiles.

    Raises:
        Refused: MLX refuses the block size, the sizes or the formats.
    """
    if not (call.mask_out or call.mask_operands):
        tape.because("no mask at all: matmul")
        operations.matmul(Matmul(call.a, call.b), target, tape)
        return
    a, b = _operands(call, tape)
    m, n, batch = a.shape[-2], b.shape[-1], a.shape[:-2]
    if a.size == 0 or b.size == 0:
        tape.because("an operand without elements: zeros", f"{a.shape}, {b.shape}")
        fill(tape, dense((*batch, m, n), a.dtype))
        return
    left, right = matrix(tape, a, vector=m == 1), matrix(tape, b, vector=n == 1)
    problem = _Problem(
        left, right, batch, call.block_size, _masks(call, a.dtype), given(call.a, call.b)
    )
    if min(m, n) == 1:
        tape.add(_gemv(problem, tape))
    else:
        tape.because("neither one row nor one column: tiles of a block", f"M {m}, N {n}")
        tape.add(_tiled(problem, _batch_strides(a, b)))


def _operands(call: BlockMaskedMM, tape: Tape) -> tuple[Array, Array]:
    if call.block_size not in BLOCKS:
        raise Refused(
            f"[{OP}] Only block_sizes 32, 64 are supported.Got block size {call.block_size}."
        )
    a, b = as_matrices(OP, call.a, call.b)
    inner_sizes(OP, a, b)
    a, b = as_real(tape, OP, a, b)
    return batches_together(a, b)


def _masks(call: BlockMaskedMM, dtype: str) -> str:
    kind = "bool_" if call.mask_bool else dtype
    out, operands = (kind if there else "nomask" for there in (call.mask_out, call.mask_operands))
    return f"outmask_{out}_opmask_{operands}"


def _gemv(problem: _Problem, tape: Tape) -> Launch:
    m, n, _ = problem.sizes
    outputs = n if n != 1 else m
    down = not problem.b.transposed if n != 1 else problem.a.transposed
    tape.because("one row or one column: gemv", f"M {m}, N {n}, {outputs} outputs")
    tile = masked_gemv_tile(outputs, problem.block, down=down)
    several = len(problem.batch) > 1
    return Launch(
        f"gemv{'_t' * down}_{problem.masks}_{problem.a.array.dtype}_{tile}_nc{several:d}",
        "matmul",
        (ceil_div(outputs, tile.outputs), 1, prod(problem.batch)),
        tile.group,
        label=f"masked_gemv{'_t' * down}",
        staged=0,
    )


def masked_gemv_tile(outputs: int, block: int, *, down: bool) -> GemvTile:
    """Return how threads lie over a matrix masked in blocks; `down` walks along its columns."""
    few = outputs < 4
    if down:
        bn = 4 if block == 64 and outputs >= 2048 else 2
        tn = 1 if few else 4
        return GemvTile(1, bn, 8, 4, block // 8, tn, bn * 4 * tn)
    bm, sm, sn = (2, 4, 8) if block == 32 else (4 if outputs >= 512 else 2, 2, 16)
    tm = 1 if few else 4
    return GemvTile(bm, 1, sm, sn, tm, 4, bm * sm * tm)


def _tiled(problem: _Problem, strides: dict[str, int]) -> Launch:
    a, b, dtype = problem.a, problem.b, problem.a.array.dtype
    m, n, k = problem.sizes
    tile = Tile(problem.block, problem.block, 16, 2, 2)
    forms = a.letter + b.letter
    whole = flag(on=m % tile.bm == 0 and n % tile.bn == 0)
    return Launch(
        f"steel_gemm_block_{problem.masks}_{forms}_{dtype}_{dtype}_{tile}"
        f"_MN_{whole}aligned_K_{flag(on=k % tile.bk == 0)}aligned",
        "matmul",
        (ceil_div(n, tile.bn), ceil_div(m, tile.bm), prod(problem.batch)),
        (32, tile.wn, tile.wm),
        params=problem.seen.leading((m, n, k), a.ld, b.ld) | strides,
        label="masked_gemm",
        tile=tile,
        staged=staged_bytes(tile, dtype, forms),
    )


def _batch_strides(a: Array, b: Array) -> dict[str, int]:
    """Return the innermost batch strides that are not 0: those before any copy, as MLX has it."""
    strides = {"bsa": a.strides[-3], "bsb": b.strides[-3]} if a.ndim > 2 else {}
    return {name: stride for name, stride in strides.items() if stride}
