"""In which shapes do `addmm`'s operands meet: are rows of a flattened, and how does c broadcast?"""

from __future__ import annotations

from pytest_applegpu.routing.arrays import Array, Shape, broadcast_to
from pytest_applegpu.routing.broadcasting import batches_together, into, together
from pytest_applegpu.routing.calls import AddMM
from pytest_applegpu.routing.launch import Refused, Tape
from pytest_applegpu.routing.reshape import flattened, reshaped


def addend(tape: Tape, call: AddMM, a: Array, b: Array, c: Array) -> tuple[Array, Array, Array]:
    """Return matrices a, b and c with the same batch axes; c has the result's shape.

    `a` and `b` are the call's, with two axes at least. c keeps the strides that broadcasting gives
    it: nothing is copied for that.

    Raises:
        Refused: the operands do not broadcast to one result.
    """
    if a.ndim > 2 and b.ndim == 2 and c.ndim <= 1:
        return _flat(tape, a, b, c)
    a, b = batches_together(a, b)
    result = (*a.shape[:-1], b.shape[-1])
    vectors = call.a.ndim, call.b.ndim
    seen = adjusted(result, *vectors)
    c = broadcast_to(c, together(c.shape, seen))
    if 1 in vectors:
        c = reshaped(tape, c, _with_ones(c.shape, *vectors))
    if c.shape != result:
        raise Refused("[addmm] input c must broadcast to the output shape")
    return a, b, c


def _flat(tape: Tape, a: Array, b: Array, c: Array) -> tuple[Array, Array, Array]:
    if a.shape[-1] == 0:
        raise Refused("[reshape] Cannot infer the shape of an empty array")
    tape.because("one b for a batch of a, c a vector: rows of a are flattened", f"{a.shape}")
    rows = flattened(tape, a)
    return rows, b, into(c, (rows.shape[0], b.shape[1]))


def adjusted(result: Shape, a_ndim: int, b_ndim: int) -> Shape:
    """Return the shape of a result without the axes that were put in for vectors."""
    rows = () if a_ndim == 1 else result[-2:-1]
    columns = () if b_ndim == 1 else result[-1:]
    return result[:-2] + rows + columns


def _with_ones(shape: Shape, a_ndim: int, b_ndim: int) -> Shape:
    """Return `shape` with axes of size 1 where vectors have theirs."""
    if b_ndim == 1:
        shape = (*shape, 1)
    return (*shape[:-1], 1, shape[-1]) if a_ndim == 1 else shape
