"""What is asked of MLX: each operation with its operands as they lie in memory."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_applegpu.routing.arrays import Array, Shape


@dataclass(frozen=True, slots=True)
class Matmul:
    """`mx.matmul(a, b)`."""

    a: Array
    b: Array


@dataclass(frozen=True, slots=True)
class AddMM:
    """`mx.addmm(c, a, b, alpha, beta)`."""

    a: Array
    b: Array
    c: Array
    alpha: float
    beta: float


@dataclass(frozen=True, slots=True)
class GatherMM:
    """`mx.gather_mm(a, b, lhs_indices, rhs_indices, sorted_indices=...)`; indices by shape."""

    a: Array
    b: Array
    lhs: Shape | None
    rhs: Shape | None
    sorted: bool


@dataclass(frozen=True, slots=True)
class SegmentedMM:
    """`mx.segmented_mm(a, b, segments)`."""

    a: Array
    b: Array
    segments: Array


@dataclass(frozen=True, slots=True)
class BlockMaskedMM:
    """`mx.block_masked_mm(a, b, block_size, ...)`: which masks there are, and their kind."""

    a: Array
    b: Array
    block_size: int
    mask_out: bool
    mask_operands: bool
    mask_bool: bool


@dataclass(frozen=True, slots=True)
class Quantized:
    """How weights are packed: `w` is the unpacked matrix, (..., N, K) if `transpose`, else K, N.

    `arrays` are the packed words, the scales and the biases, if there are any, as they lie; where
    nothing is said they are row-major.
    """

    w: Shape
    group_size: int
    bits: int
    mode: str
    transpose: bool
    arrays: tuple[Array, ...] = ()


@dataclass(frozen=True, slots=True)
class QuantizedMatmul:
    """`mx.quantized_matmul(x, w, ...)`."""

    x: Array
    weights: Quantized


@dataclass(frozen=True, slots=True)
class GatherQMM:
    """`mx.gather_qmm(x, w, ..., lhs_indices, rhs_indices, sorted_indices=...)`."""

    x: Array
    weights: Quantized
    lhs: Shape | None
    rhs: Shape | None
    sorted: bool


@dataclass(frozen=True, slots=True)
class QQMM:
    """`mx.qqmm(x, w, ...)`; `quantized` tells whether `w` comes packed already."""

    x: Array
    weights: Quantized
    quantized: bool


@dataclass(frozen=True, slots=True)
class Attention:
    """`mx.fast.scaled_dot_product_attention(q, k, v, mask=...)`.

    `mask` is empty for none, `causal`, or the kind of array: `bool` or `float`.
    """

    q: Array
    k: Array
    v: Array
    mask: str
    sinks: bool


Call = (
    Matmul
    | AddMM
    | GatherMM
    | SegmentedMM
    | BlockMaskedMM
    | QuantizedMatmul
    | GatherQMM
    | QQMM
    | Attention
)
