"""Which kernels compute causal attention block by block, so that the scores stay small?

Query rows are taken in blocks: a block needs the keys up to its own last row only. Query heads that
share a key head are rows of one product.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from pytest_applegpu.routing.arrays import Array, dense
from pytest_applegpu.routing.attention.padding import between_strides
from pytest_applegpu.routing.attention.sizes import HALF, Sizes, result_of
from pytest_applegpu.routing.attention.softmax import softmax
from pytest_applegpu.routing.calls import Attention
from pytest_applegpu.routing.copies import block_dims, contiguous_copy
from pytest_applegpu.routing.dense.given import Given
from pytest_applegpu.routing.dense.matrices import Matrix
from pytest_applegpu.routing.dense.product import Product
from pytest_applegpu.routing.dense.rules import RULES
from pytest_applegpu.routing.dense.splitk import splitk, splits
from pytest_applegpu.routing.dense.steel import steel
from pytest_applegpu.routing.launch import Launch, Tape, Triple
from pytest_applegpu.routing.target import Target

BLOCK_ROWS: Final = 256
"""Query rows of a block."""

_LONG: Final = 1024


@dataclass(frozen=True, slots=True)
class Block:
    """Query rows, and the keys that the last of them may see."""

    rows: int
    keys: int


def in_blocks(size: Sizes, target: Target) -> bool:
    """Return whether a causal call of head dimension 512 is computed in blocks."""
    return (
        not target.nax
        and size.dims == (512, 512)
        and size.dtype in HALF
        and size.causal
        and not size.sinks
        and _LONG <= size.L <= size.S
    )


def blocks(L: int, S: int) -> Iterator[Block]:
    """Return the blocks of `L` query rows on `S` keys; the last query row sees all keys."""
    for first in range(0, L, BLOCK_ROWS):
        rows = min(BLOCK_ROWS, L - first)
        yield Block(rows, S - L + first + rows)


def blocked(call: Attention, size: Sizes, target: Target, tape: Tape) -> None:
    """Write down, for each block: scaled queries, scores, mask, softmax, product, and a copy."""
    _, k, v = (
        one if one.strides[-1] == 1 else contiguous_copy(tape, one)
        for one in (call.q, call.k, call.v)
    )
    tape.because(f"blocks of {BLOCK_ROWS} query rows", f"L={size.L}")
    for block in blocks(size.L, size.S):
        tape.add(_scale(size, block))
        _launch(_scores(size, block, k), target, tape)
        tape.add(_mask(size, block))
        tape.add(softmax(dense((size.batch, size.heads, block.rows, block.keys), size.dtype)))
        _launch(_weighted(size, block, v), target, tape)
        tape.add(_copy_out(size, block))


def _scale(size: Sizes, block: Block) -> Launch:
    grid = (size.D, block.rows, size.batch * size.heads)
    return _elementwise("sdpa_blocked_scale_copy", size, grid)


def _mask(size: Sizes, block: Block) -> Launch:
    """Hide later keys: only the last ones, as many as the block has rows, can be later."""
    grid = (block.rows, size.batch * size.heads * block.rows, 1)
    return _elementwise("sdpa_blocked_causal_mask", size, grid)


def _elementwise(name: str, size: Sizes, grid: Triple) -> Launch:
    kernel = f"{name}_{size.dtype}"
    group = block_dims(*grid)
    return Launch(kernel, "elementwise", grid, group, "threads", label="elementwise", staged=0)


def _scores(size: Sizes, block: Block, k: Array) -> Product:
    """Return the product of scaled queries and transposed keys."""
    q = _rows(size, block, size.D)
    keys = Matrix(k, transposed=True, ld=k.strides[2])
    return _product(size, q, keys, block.keys, size.D)


def _weighted(size: Sizes, block: Block, v: Array) -> Product:
    """Return the product of weights and values."""
    weights = _rows(size, block, block.keys)
    return _product(
        size, weights, Matrix(v, transposed=False, ld=v.strides[2]), size.DV, block.keys
    )


def _rows(size: Sizes, block: Block, length: int) -> Matrix:
    """Return rows of the block, of `length` elements, one query head after another."""
    shape = (size.batch, size.key_heads, size.group * block.rows, length)
    return Matrix(dense(shape, size.dtype), transposed=False, ld=length)


def _product(size: Sizes, a: Matrix, b: Matrix, n: int, k: int) -> Product:
    """Return the product over batch and key heads, which stay two axes."""
    batch_shape = (size.batch, size.key_heads)
    strides = a.array.strides[:2], b.array.strides[:2]
    m, batch = a.array.shape[2], size.batch * size.key_heads
    return Product(a, b, None, m, n, k, batch, batch_shape, strides, 1.0, 0.0)


def _launch(product: Product, target: Target, tape: Tape) -> None:
    """Write down a tiled kernel: even a single row does not go to those for vectors."""
    rules = RULES.at(target.version)
    given = Given(product.m, a_transposed=False, b_transposed=product.b.transposed)
    if splits(tape, product, target.letter, rules):
        splitk(tape, product, given, rules)
    else:
        steel(tape, product, given, target.letter)


def _copy_out(size: Sizes, block: Block) -> Launch:
    part = dense((size.batch, size.heads, block.rows, size.DV), size.dtype)
    return between_strides(part, replace(result_of(size), shape=part.shape))
