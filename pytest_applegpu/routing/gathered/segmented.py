"""Which kernel does `segmented_mm` launch? One for all segments of K, SIMD or accelerated."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

from pytest_applegpu.routing.arrays import Array
from pytest_applegpu.routing.calls import SegmentedMM
from pytest_applegpu.routing.checks import as_real, shape_words
from pytest_applegpu.routing.copies import ceil_div, contiguous_copy
from pytest_applegpu.routing.dense.given import given
from pytest_applegpu.routing.dense.matrices import Matrix, matrix
from pytest_applegpu.routing.dense.steel import flag, simd_tile, staged_bytes
from pytest_applegpu.routing.launch import NO_SUCH_AXIS, Launch, Refused, Tape, Tile, Triple
from pytest_applegpu.routing.target import Target
from pytest_applegpu.routing.versions import ByVersion

OP: Final = "segmented_mm"

SHORTEST: Final = 64
"""Block of K of the accelerators' kernel for short segments, which come first in its grid."""


@dataclass(frozen=True, slots=True)
class _Rules:
    """`nax`: there is a kernel for the neural accelerators."""

    nax: bool = False


RULES: Final = ByVersion(_Rules(), {"0.31.2": {"nax": True}})


@dataclass(frozen=True, slots=True)
class _Problem:
    """Both operands as they reach the kernel, and how many segments there are."""

    a: Matrix
    b: Matrix
    segments: int

    @property
    def sizes(self) -> tuple[int, int, int]:
        """M, N and K."""
        (m, k), n = self.a.array.shape, self.b.array.shape[1]
        return m, n, k

    @property
    def dtype(self) -> str:
        """Format of the operands and of the result."""
        return self.a.array.dtype

    @property
    def forms(self) -> str:
        """Both operands' letters in kernel names."""
        return self.a.letter + self.b.letter


def segmented_mm(call: SegmentedMM, target: Target, tape: Tape) -> None:
    """Write down the copies that MLX needs and its one kernel.

    Raises:
        Refused: MLX refuses batches, the segments' shape, or the formats.
    """
    _check(call)
    a, b = (matrix(tape, one) for one in as_real(tape, OP, call.a, call.b))
    contiguous = _segments(tape, call.segments)
    problem = _problem(a, b, call.segments)
    simd = simd_tile(target.letter, problem.segments, *problem.sizes, problem.dtype, problem.forms)
    nax = RULES.at(target.version).nax and target.use_nax(problem.dtype)
    tile = _nax_tile(tape, problem) if nax else _simd(tape, problem, simd)
    suffix = f"_segments_contiguous_{flag(on=contiguous)}{_whole(problem, simd)}"
    params = given(call.a, call.b).leading(problem.sizes, a.ld, b.ld)
    tape.add(_launch(problem, tile, suffix, params, nax=nax))


def _launch(
    problem: _Problem, tile: Tile, suffix: str, params: dict[str, int], *, nax: bool
) -> Launch:
    forms, dtype = problem.forms, problem.dtype
    return Launch(
        f"steel_segmented_mm_{'nax_' * nax}{forms}_{dtype}_{dtype}_{tile}",
        "matmul",
        _grid(problem, tile, nax=nax),
        (32, tile.wn, tile.wm),
        suffix=suffix,
        params=params,
        label="segmented_nax" if nax else "segmented",
        tile=tile,
        staged=0 if nax else staged_bytes(tile, dtype, forms),
    )


def _check(call: SegmentedMM) -> None:
    if call.a.ndim != 2 or call.b.ndim != 2:
        raise Refused(f"[{OP}] Batched matmul not supported")
    shape = call.segments.shape
    if shape[-1:] != (2,):
        raise Refused(
            f"[{OP}] The segments should have shape (..., 2) but {shape_words(shape)} was provided."
        )


def _problem(a: Matrix, b: Matrix, segments: Array) -> _Problem:
    """Return the problem; segments are counted by the elements of the result that they make."""
    some = a.array.shape[0] and b.array.shape[1]
    return _Problem(a, b, prod(segments.shape[:-1]) if some else 0)


def _segments(tape: Tape, segments: Array) -> bool:
    """Bring the bounds into a form that the kernel reads; return whether it is the dense one.

    The other form has starts and ends one element apart, as neighbours in a list of bounds.

    Raises:
        Refused: the bounds of the one segment do not lie side by side.
    """
    if segments.row_contiguous:
        return True
    if segments.ndim == 1:
        tape.because("one segment that is not dense: a second axis is asked for")
        raise Refused(NO_SUCH_AXIS)
    if _neighbours(segments):
        tape.because("each segment begins where the last one ends", f"strides {segments.strides}")
        return False
    tape.because("segments are not dense: copied", f"strides {segments.strides}")
    contiguous_copy(tape, segments)
    return True


def _neighbours(segments: Array) -> bool:
    shape, strides = segments.shape, segments.strides
    outer = all(
        shape[axis] == 1 or strides[axis + 1] * shape[axis] == strides[axis]
        for axis in range(segments.ndim - 2)
    )
    return outer and all(stride == 1 for stride in strides[-2:])


def _nax_tile(tape: Tape, problem: _Problem) -> Tile:
    k, segments = problem.sizes[2], problem.segments
    average = k // segments if segments else 0
    bk = 256 if average >= 256 else 128 if average >= 128 else SHORTEST
    tape.because(
        "accelerators: the longer the segments, the longer the block of K",
        f"K {k} // {segments} segments = {average}: bk {bk}",
    )
    return Tile(64, 64, bk, 2, 2)


def _simd(tape: Tape, problem: _Problem, tile: Tile) -> Tile:
    tape.because(
        "no accelerators, or no kernel for them: SIMD kernel",
        f"{problem.dtype}, {problem.forms}, {problem.segments} segments: {tile}",
    )
    return tile


def _grid(problem: _Problem, tile: Tile, *, nax: bool) -> Triple:
    m, n, _ = problem.sizes
    tiles = ceil_div(n, tile.bn), ceil_div(m, tile.bm)
    if nax and tile.bk == SHORTEST:
        return problem.segments, *tiles
    return *tiles, problem.segments


def _whole(problem: _Problem, simd: Tile) -> str:
    """Return in a name's form which of M and N are whole tiles: the SIMD kernel's, in any case."""
    m, n, _ = problem.sizes
    return f"_align_M_{flag(on=m % simd.bm == 0)}_align_N_{flag(on=n % simd.bn == 0)}"
