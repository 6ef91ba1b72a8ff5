"""Can few rows share one pass over picked matrices that lie transposed?"""

from __future__ import annotations

from pytest_applegpu.routing.arrays import Array, dense
from pytest_applegpu.routing.copies import contiguous_copy
from pytest_applegpu.routing.dense.gemv_wide import why_not_wide, wide_config
from pytest_applegpu.routing.gathered.gathering import Gathering
from pytest_applegpu.routing.launch import Launch, Tape


def gather_wide(tape: Tape, gathering: Gathering, gen: int) -> bool:
    """Write down the kernel that streams a picked matrix for up to 5 rows, if they fit it."""
    why_not = _why_not(gathering, gen)
    if why_not:
        tape.because("not gemv_wide", why_not)
        return False
    if not _rows_lie(gathering.a):
        contiguous_copy(tape, gathering.a)
    config = wide_config(gathering.m, gathering.n)
    tape.because(
        "few rows times transposed 16-bit matrices: gemv_wide",
        f"M {gathering.m}, {config.nv} rows a pass",
    )
    tape.add(
        Launch(
            f"gemv_wide_gather_{gathering.dtype}_{config}",
            "matmul",
            config.grid(gathering.n, gathering.batch),
            config.group,
            suffix="_axpby0",
            label="gemv_wide_gather",
            staged=0,
        )
    )
    return True


def _rows_lie(array: Array) -> bool:
    return array.strides[-1] == 1


def _why_not(gathering: Gathering, gen: int) -> str:
    """Return the condition that fails, empty where none does.

    Rows that lie in neither form count as the copy that will be made of them; matrices of b that
    do are never copied for this kernel.
    """
    a, b = gathering.a, gathering.b
    if b.strides[-1] == 1 or b.strides[-2] != 1:
        return "b does not lie transposed"
    if not _rows_lie(a):
        if a.strides[-2] == 1:
            return "a lies transposed"
        a = dense(a.shape, a.dtype)
    return why_not_wide(
        gen,
        gathering.dtype,
        gathering.m,
        gathering.n,
        gathering.k,
        (a.offset * a.itemsize, b.offset * b.itemsize),
        (a.strides[-2], b.strides[-1], *a.strides[:-2], *b.strides[:-2]),
    )
