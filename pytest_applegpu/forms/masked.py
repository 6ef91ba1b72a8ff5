"""Products whose operands and result are masked in square blocks: `block_masked_mm`."""

from __future__ import annotations

from typing import Final

from pytest_applegpu.forms.dense import batch, pair
from pytest_applegpu.forms.form import (
    Argument,
    Form,
    Invocation,
    Operand,
    Param,
    Shape,
    Sizes,
    matrix,
    operand,
)

MASKS: Final = {"o": "mask_out", "l": "mask_lhs", "r": "mask_rhs"}
"""The letters of `masks=`, and MLX's arguments."""


def _blocks(size: int, block: int) -> int:
    return -(-size // block)


def _shape(sizes: Sizes, letter: str) -> Shape:
    """Return a mask's shape: of one matrix where `over=all` lets it serve the whole batch."""
    rows, cols = {
        "o": (sizes.m, sizes.n),
        "l": (sizes.m, sizes.k),
        "r": (sizes.k, sizes.n),
    }[letter]
    block = int(sizes.param("block"))
    own = {"o": batch(sizes), "l": sizes.batch_a, "r": sizes.batch_b}[letter]
    return (
        *(() if sizes.param("over") == "all" else own),
        _blocks(rows, block),
        _blocks(cols, block),
    )


def _mask(sizes: Sizes, letter: str) -> Operand:
    dtype = "bool" if sizes.param("kind") == "bool" else sizes.dtype.name
    return matrix(MASKS[letter], dtype, sizes, _shape(sizes, letter), transposed=False)


def _invoke(sizes: Sizes) -> Invocation:
    named: dict[str, Argument] = {"block_size": int(sizes.param("block"))}
    named |= {MASKS[letter]: operand(MASKS[letter]) for letter in sizes.param("masks")}
    return Invocation("block_masked_mm", (operand("a"), operand("b")), named)


BLOCK_MASKED_MM: Final = Form(
    "block_masked_mm",
    {
        "block": Param("64", ("64", "32")),
        "masks": Param("olr", ("olr", "o", "l", "r", "ol", "or", "lr")),
        "kind": Param("bool", ("bool", "float")),
        "over": Param("each", ("each", "all")),
    },
    operands=lambda sizes: (
        *pair(sizes),
        *(_mask(sizes, letter) for letter in sizes.param("masks")),
    ),
    batch=batch,
    invoke=_invoke,
    dtypes=("float32", "float16", "bfloat16"),
)
