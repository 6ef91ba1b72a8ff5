"""For which M, N, K and batch is a kernel launched, and how large are operands and result?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, Final

from pytest_applegpu.routing.arrays import ITEMSIZE, Array, broadcast_shape
from pytest_applegpu.routing.calls import (
    QQMM,
    AddMM,
    Attention,
    BlockMaskedMM,
    Call,
    GatherMM,
    GatherQMM,
    Matmul,
    Quantized,
    QuantizedMatmul,
    SegmentedMM,
)
from pytest_applegpu.routing.launch import Launch

_VECTORS: Final = frozenset({"gemv", "gemv_t", "gemv_wide"})


@dataclass(frozen=True, slots=True)
class Extent:
    """M x N results of K products each, `batch` times.

    For attention M is the queries' length, N the keys' and K the head dimension; `batch` counts
    heads of all sequences.
    """

    m: int
    n: int
    k: int
    batch: int


def extent(call: Call, launch: Launch) -> Extent | None:
    """Return what `launch` is launched for; None for the products inside unfused attention."""
    if isinstance(call, Attention):
        return _attention(call) if launch.role == "attention" else None
    whole = whole_extent(call)
    rows = launch.params.get("M", whole.m)
    if "_rhs" in launch.label and isinstance(call, GatherQMM):
        rows = call.x.size // call.x.shape[-1]
    if "_rhs" in launch.label:
        return Extent(rows, whole.n, whole.k, 1)
    if launch.label in _VECTORS:
        # Vector kernels do not say whether the batch joined the rows; their grid does.
        rows = whole.batch * whole.m // launch.grid[2]
    batch = whole.batch * whole.m // rows if rows else 0
    return Extent(rows, whole.n, whole.k, batch)


def whole_extent(call: Call) -> Extent:
    """Return the sizes of a call, before any of its batch is put under the rows."""
    return _EXTENTS[type(call)](call)


def result_size(call: Call) -> int:
    """Return the number of elements of the result."""
    if isinstance(call, Attention):
        return prod(call.q.shape[:-1]) * call.v.shape[-1]
    whole = whole_extent(call)
    return whole.m * whole.n * whole.batch


def dtype_of(call: Call) -> str:
    """Return the format of the operands that are not packed."""
    if isinstance(call, Attention):
        return call.q.dtype
    if isinstance(call, QuantizedMatmul | GatherQMM | QQMM):
        return call.x.dtype
    return call.a.dtype


def operands(call: Call) -> int:
    """Return the bytes of all operands: those of their storage, packed weights as packed."""
    names = ("a", "b", "c", "x", "q", "k", "v")
    arrays = [getattr(call, name) for name in names if hasattr(call, name)]
    total: int = sum(one.data_size * ITEMSIZE[one.dtype] for one in arrays)
    weights = getattr(call, "weights", None)
    return total + (packed_bytes(weights) if weights is not None else 0)


def packed_bytes(weights: Quantized) -> int:
    """Return the bytes of packed weights, their scales aside."""
    return prod(weights.w) * weights.bits // 8


def _dense(call: Matmul | AddMM | BlockMaskedMM) -> Extent:
    return _product(call.a, call.b)


def _product(a: Array, b: Array) -> Extent:
    m = a.shape[-2] if a.ndim > 1 else 1
    n = b.shape[-1] if b.ndim > 1 else 1
    batch = prod(broadcast_shape(a.shape[:-2], b.shape[:-2]))
    return Extent(m, n, a.shape[-1], batch)


def _gather_mm(call: GatherMM) -> Extent:
    one = _product(Array(call.a.shape[-2:], (0, 0), ""), Array(call.b.shape[-2:], (0, 0), ""))
    if call.lhs is None and call.rhs is None:
        return _product(call.a, call.b)
    return Extent(one.m, one.n, one.k, _picked(call, call.a.shape[:-2], call.b.shape[:-2]))


def _picked(call: GatherMM | GatherQMM, a: tuple[int, ...], b: tuple[int, ...]) -> int:
    lhs = call.lhs if call.lhs is not None else a
    rhs = call.rhs if call.rhs is not None else b
    return prod(broadcast_shape(lhs, rhs))


def _segmented(call: SegmentedMM) -> Extent:
    segments = prod(call.segments.shape[:-1])
    return Extent(call.a.shape[0], call.b.shape[1], call.a.shape[1], segments)


def _weights(weights: Quantized) -> tuple[int, int]:
    """Return N and K."""
    n, k = weights.w[-2:] if weights.transpose else weights.w[:-3:-1]
    return n, k


def _quantized(call: QuantizedMatmul) -> Extent:
    """All rows are M where one matrix of weights meets an x that lies, or is copied, dense."""
    x, (n, k) = call.x, _weights(call.weights)
    copied = x.ndim > 1 and x.strides[-2:] != (x.shape[-1], 1)
    joined = len(call.weights.w) == 2 and (copied or x.row_contiguous)
    m = prod(x.shape[:-1]) if joined or x.ndim < 2 else x.shape[-2]
    batch = prod(broadcast_shape(x.shape[:-2], call.weights.w[:-2])) if not joined else 1
    return Extent(m, n, k, batch)


def _gather_qmm(call: GatherQMM) -> Extent:
    n, k = _weights(call.weights)
    if call.lhs is None and call.rhs is None:
        return _quantized(QuantizedMatmul(call.x, call.weights))
    batch = _picked(call, call.x.shape[:-2], call.weights.w[:-2])
    return Extent(call.x.shape[-2], n, k, batch)


def _qqmm(call: QQMM) -> Extent:
    n, k = call.weights.w[-2:]
    return Extent(prod(call.x.shape[:-1]), n, k, 1)


def _attention(call: Attention) -> Extent:
    batch, heads, length, dim = call.q.shape
    return Extent(length, call.k.shape[2], dim, batch * heads)


_EXTENTS: Final[dict[type, Callable[[Any], Extent]]] = {
    Matmul: _dense,
    AddMM: _dense,
    BlockMaskedMM: _dense,
    GatherMM: _gather_mm,
    SegmentedMM: _segmented,
    QuantizedMatmul: _quantized,
    GatherQMM: _gather_qmm,
    QQMM: _qqmm,
    Attention: _attention,
}
