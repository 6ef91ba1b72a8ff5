"""Which kernels does `gather_mm` launch? By rows, by whether b is picked in order, by layout."""

from __future__ import annotations

from typing import Final

from pytest_applegpu.routing.arrays import dense
from pytest_applegpu.routing.calls import GatherMM, Matmul
from pytest_applegpu.routing.checks import as_matrices, as_real, inner_sizes
from pytest_applegpu.routing.copies import ceil_div, fill
from pytest_applegpu.routing.dense import operations
from pytest_applegpu.routing.dense.gemv import gemv_tile
from pytest_applegpu.routing.dense.given import given
from pytest_applegpu.routing.dense.matrices import matrix
from pytest_applegpu.routing.dense.steel import flag, simd_tile, staged_bytes
from pytest_applegpu.routing.gathered.gathering import Gathering, aligned
from pytest_applegpu.routing.gathered.in_order import sorted_rows
from pytest_applegpu.routing.gathered.rules import RULES
from pytest_applegpu.routing.gathered.wide import gather_wide
from pytest_applegpu.routing.indices import broadcast, gathered
from pytest_applegpu.routing.launch import Launch, Tape
from pytest_applegpu.routing.target import Target

OP: Final = "gather_mm"


def gather_mm(call: GatherMM, target: Target, tape: Tape) -> None:
    """Write down what MLX launches for products of matrices that indices pick.

    Raises:
        Refused: MLX refuses the sizes or the formats.
    """
    if call.lhs is None and call.rhs is None:
        tape.because("no indices at all: matmul")
        operations.matmul(Matmul(call.a, call.b), target, tape)
        return
    gathering = _gathering(call, tape)
    if gathering.a.size == 0 or gathering.b.size == 0:
        tape.because("an operand without elements: zeros", f"{call.a.shape}, {call.b.shape}")
        shape = (*gathering.lhs.shape, gathering.m, gathering.n)
        fill(tape, dense(shape, gathering.dtype))
        return
    if gathering.m == 1 and call.sorted and call.lhs is None:
        sorted_rows(tape, gathering, target)
    elif gathering.m == 1 or gathering.n == 1:
        _gemv(tape, gathering)
    elif not (RULES.at(target.version).wide and gather_wide(tape, gathering, target.gen)):
        _steel(tape, gathering, target)


def _gathering(call: GatherMM, tape: Tape) -> Gathering:
    a, b = as_matrices(OP, call.a, call.b)
    inner_sizes(OP, a, b)
    a, b = as_real(tape, OP, a, b)
    lhs = gathered(tape, a.shape[:-2], call.lhs)
    rhs = gathered(tape, b.shape[:-2], call.rhs)
    return Gathering(a, b, *broadcast(lhs, rhs), given(call.a, call.b))


def _gemv(tape: Tape, gathering: Gathering) -> None:
    """Write down the kernel for vectors: the matrix is b where a is one row, else a."""
    one_row = gathering.m == 1
    outputs = gathering.n if one_row else gathering.m
    stored, other = (gathering.b, gathering.a) if one_row else (gathering.a, gathering.b)
    lies = matrix(tape, stored, vector=outputs == 1)
    matrix(tape, other, vector=True)
    down = lies.transposed != one_row
    tile = gemv_tile(outputs, gathering.k, transposed=down, by_k=down)
    tape.because(
        "one row, or one column: gemv",
        f"M {gathering.m}, N {gathering.n}; {'down columns' if down else 'along rows'}, "
        f"{outputs} outputs",
    )
    tape.add(
        Launch(
            f"gemv_{'t_' * down}gather_{gathering.dtype}_{tile}",
            "matmul",
            (ceil_div(outputs, tile.outputs), 1, gathering.batch),
            tile.group,
            label=f"gather_gemv{'_t' * down}",
            staged=0,
        )
    )


def _steel(tape: Tape, gathering: Gathering, target: Target) -> None:
    """Write down the SIMD kernel: gathered matrices have none for the accelerators."""
    a, b = matrix(tape, gathering.a), matrix(tape, gathering.b)
    m, n, k, dtype = gathering.m, gathering.n, gathering.k, gathering.dtype
    forms = a.letter + b.letter
    tile = simd_tile(target.letter, gathering.batch, m, n, k, dtype, forms)
    tape.because(
        "matrices picked one by one: SIMD kernel",
        f"letter {target.letter}, {dtype}, {forms}, {gathering.batch} of M {m}, N {n}, K {k}",
    )
    tape.add(
        Launch(
            f"steel_gather_mm_{forms}_{dtype}_{dtype}_{tile}",
            "matmul",
            (ceil_div(n, tile.bn), ceil_div(m, tile.bm), gathering.batch),
            (32, tile.wn, tile.wm),
            suffix=f"_has_batch_{flag(on=gathering.lhs.ndim > 1)}{aligned((m, n, k), tile)}",
            params=gathering.seen.leading((m, n, k), a.ld, b.ld) | gathering.steps,
            label="gather",
            tile=tile,
            staged=staged_bytes(tile, dtype, forms),
        )
    )
