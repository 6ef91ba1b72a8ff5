"""In which order does each kind of kernel add up the products of a sum?

Every function takes A of shape (batch, M, K) and B of shape (batch, K, N), float32 or complex64
with at most `bits` significant bits, and returns the sums that stand in the kernel's registers,
(batch, M, N) of the same dtype. The orders are read from MLX's kernels: `gemv.h`, `dot.h`,
`steel/gemm/mma.h`, `steel_gemm_thin_nax.h` (ml-explore/mlx, Apache-2.0). What hardware does inside
one matrix instruction is not written there: it is taken to add one product after another, fused.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pytest_applegpu.emulated.arithmetic import Array, chain, halving, in_turn

FRAGMENT: Final = 8
"""K of a SIMD-group's matrix instruction."""

THIN_CHUNK: Final = 64
"""K of what one SIMD-group of the thin kernel takes in its turn."""

WIDE_UNROLL: Final = 8
"""Runs of 4 that a lane of gemv_wide adds up before it adds them to its sum."""

DOT_GROUPS: Final = 16
"""SIMD-groups in a threadgroup of the dot product."""

DOT_ITEMS: Final = 32
"""Elements that one thread of the dot product takes."""

LANES: Final = 32
"""Threads in a SIMD-group."""


def matrices(a: Array, b: Array, bits: int) -> Array:
    """Add along K, as kernels do that compute a tile over the whole of K."""
    if a.dtype.kind == "c":
        return _three_products(a, b, bits)
    return _plain(a, b, bits)


def _plain(a: Array, b: Array, bits: int) -> Array:
    left = np.ascontiguousarray(a.transpose(2, 0, 1))[..., None]
    right = np.ascontiguousarray(b.transpose(1, 0, 2))[:, :, None, :]
    return chain(left, right, bits)


def _three_products(a: Array, b: Array, bits: int) -> Array:
    """Multiply complex fragments by three real products, and add fragments in turn."""
    sums = np.zeros((a.shape[0], a.shape[1], b.shape[2]), np.complex64)
    with np.errstate(all="ignore"):
        for k in range(0, a.shape[2], FRAGMENT):
            x, y = a[..., k : k + FRAGMENT], b[..., k : k + FRAGMENT, :]
            p = _plain(x.real, y.real, bits)
            q = _plain(x.imag, y.imag, bits)
            # Sums of parts have more significant bits than the parts.
            r = _plain(x.real + x.imag, y.real + y.imag, bits + 1)
            sums.real += p - q
            sums.imag += r - p - q
    return sums


def partitions(a: Array, b: Array, bits: int, *, count: int, size: int) -> Array:
    """Add up each partition of K by itself, then the partial sums in float32, in turn.

    The last partition takes the rest of K, less or more than `size`.
    """
    starts = [part * size for part in range(count)]
    ends = [*starts[1:], a.shape[2]]
    parts = [
        matrices(a[..., start:end], b[..., start:end, :], bits)
        for start, end in zip(starts, ends, strict=True)
    ]
    return in_turn(np.stack(parts, axis=-1))


def thin(a: Array, b: Array, bits: int, *, groups: int) -> Array:
    """Deal chunks of K to `groups` SIMD-groups in turn; the first one adds the others' sums."""
    chunk = np.arange(a.shape[2]) // THIN_CHUNK
    parts = [
        matrices(a[..., chunk % groups == group], b[..., chunk % groups == group, :], bits)
        for group in range(groups)
    ]
    return in_turn(np.stack(parts, axis=-1))


def vector(a: Array, b: Array, bits: int, *, groups: int, lanes: int, run: int) -> Array:
    """Multiply a matrix and a vector: `run` neighbours of K a thread, block after block.

    The `lanes` of each SIMD-group that share a row are added by halving, and then the `groups`.
    """
    left, right = (_dealt(one, groups * lanes, run) for one in (_rows(a), _columns(b)))
    sums = chain(left, right, bits)
    return in_turn(halving(sums.reshape(*sums.shape[:-1], groups, lanes)))


def wide(a: Array, b: Array, bits: int, *, lanes: int) -> Array:
    """Stream a transposed matrix past few rows: 4 neighbours of K a lane, `lanes` of them.

    Each 4 products are added up by themselves. Whole blocks of 8 such sums are added up apart
    before they join the lane's sum; what is left of K joins it one by one.
    """
    block = 4 * lanes * WIDE_UNROLL
    whole = a.shape[2] - a.shape[2] % block
    left, right = _rows(a), _columns(b)
    sums: Array = np.zeros((*a.shape[:2], b.shape[2], lanes), np.float32)
    for start in range(0, a.shape[2], block):
        part = slice(start, start + block)
        fours = chain(_fours(left[..., part], lanes), _fours(right[..., part], lanes), bits)
        if start < whole:
            sums = sums + in_turn(fours)
        else:
            sums = in_turn(np.concatenate([sums[..., None], fours], axis=-1))
    return halving(sums)


def dot(a: Array, b: Array, bits: int, *, vector_size: int) -> Array:
    """Multiply two vectors: `vector_size` neighbours a lane, into four sums each.

    These are added in turn, then the lanes, the SIMD-groups and the threadgroups.
    """
    quads = vector_size // 4
    steps = DOT_ITEMS // vector_size
    shape = (-1, DOT_GROUPS, steps, LANES, quads, 4)
    # Steps and quads, in this order, are what one of a lane's four sums goes through.
    left, right = (
        _filled(one.reshape(-1), shape)
        .transpose(2, 4, 0, 1, 3, 5)
        .reshape(steps * quads, -1, DOT_GROUPS, LANES, 4)
        for one in (a, b)
    )
    groups = halving(in_turn(chain(left, right, bits)))
    return in_turn(halving(groups)[None, :]).reshape(1, 1, 1)


def _rows(a: Array) -> Array:
    """Return A as (batch, M, 1, K)."""
    return a[:, :, None, :]


def _columns(b: Array) -> Array:
    """Return B as (batch, 1, N, K)."""
    return b.transpose(0, 2, 1)[:, None]


def _dealt(values: Array, lanes: int, run: int) -> Array:
    """Return (..., K) as (steps, ..., lanes): what each lane takes in each step, zeros after K."""
    dealt = _filled(values, (-1, lanes, run))
    blocks = dealt.shape[-3]
    steps = np.moveaxis(dealt, (-3, -1), (0, 1))
    return np.ascontiguousarray(steps).reshape(blocks * run, *values.shape[:-1], lanes)


def _fours(values: Array, lanes: int) -> Array:
    """Return (..., K) as (4, ..., lanes, runs): 4 neighbours a lane in each run, zeros after K."""
    dealt = _filled(values, (-1, lanes, 4))
    return np.ascontiguousarray(np.moveaxis(dealt, (-1, -3), (0, -1)))


def _filled(values: Array, shape: tuple[int, ...]) -> Array:
    """Return (..., K) as (..., *shape), whose first size is open, with zeros after K."""
    block = int(np.prod(shape[1:]))
    length = -(-values.shape[-1] // block) * block
    filled = np.zeros((*values.shape[:-1], length), values.dtype)
    filled[..., : values.shape[-1]] = values
    return filled.reshape(*values.shape[:-1], length // block, *shape[1:])
