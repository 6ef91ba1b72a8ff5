"""A layer of `mlx.nn` that is attention between four projections: `multi_head_attention`.

`multi_head_attention-f16-nt-9x33x64-b2 heads=4` calls an `nn.MultiHeadAttention` of 64 dimensions
and 4 heads: two sequences of M = 9 queries and N = 33 keys, all of K = 64 numbers, and so is the
output. Operands are the inputs q, k and v, the weights wq, wk, wv and wo of the projections, with
`bias=yes` their biases bq, bk, bv and bo, and a mask where there is one that is an array.
"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.forms.attention import MASKS, mask_shape
from pytest_applegpu.forms.form import (
    Argument,
    Form,
    Invocation,
    Layer,
    Operand,
    Param,
    Shape,
    Sizes,
    matrix,
    operand,
    vector,
)

PROJECTIONS: Final = {"q": "query_proj", "k": "key_proj", "v": "value_proj", "o": "out_proj"}
"""The layer's projections by the letter that their operands have."""

INPUTS: Final = ("q", "k", "v")

SHARED: Final = ("matrix", "heads", "row")
"""Shapes of a mask, which all heads share: (M, N); one a sequence; one row for all queries."""


def head_size(sizes: Sizes) -> int:
    """Return how many numbers of a query, a key or a value each head has."""
    return sizes.k // int(sizes.param("heads"))


def _operands(sizes: Sizes) -> tuple[Operand, ...]:
    dtype, square = sizes.dtype.name, (sizes.k, sizes.k)

    def plain(name: str, shape: Shape, kind: str = dtype) -> Operand:
        return matrix(name, kind, sizes, shape, transposed=False)

    rows = {"q": sizes.m, "k": sizes.n, "v": sizes.n}
    found = [plain(name, (*sizes.batch_a, rows[name], sizes.k)) for name in INPUTS]
    found += [plain(f"w{letter}", square) for letter in PROJECTIONS]
    if sizes.param("bias") == "yes":
        found += [vector(f"b{one}", dtype, sizes, (sizes.k,), None) for one in PROJECTIONS]
    if sizes.param("mask") in {"bool", "add"}:
        kind = "bool" if sizes.param("mask") == "bool" else dtype
        found.append(plain("mask", mask_shape(sizes), kind))
    return tuple(found)


def _invoke(sizes: Sizes) -> Invocation:
    bias = sizes.param("bias") == "yes"
    parameters = {
        name: {"weight": operand(f"w{letter}")} | ({"bias": operand(f"b{letter}")} if bias else {})
        for letter, name in PROJECTIONS.items()
    }
    layer = Layer((sizes.k, int(sizes.param("heads"))), {"bias": bias}, parameters)
    kind = sizes.param("mask")
    named: dict[str, Argument] = {}
    if kind != "none":
        named["mask"] = "causal" if kind == "causal" else operand("mask")
    return Invocation("MultiHeadAttention", tuple(map(operand, INPUTS)), named, layer)


def _check(sizes: Sizes) -> None:
    """Refuse heads that do not fit, and words about a mask that there is not.

    Raises:
        ValueError: the message names the part.
    """
    heads = int(sizes.param("heads"))
    if len(sizes.batch_a) != 1 or sizes.batch_a != sizes.batch_b:
        raise ValueError("multi_head_attention has a batch of sequences, as in -b2")
    if not sizes.k or sizes.k % heads:
        raise ValueError(f"K = {sizes.k} is no multiple of the {heads} heads, and above 0")
    if {sizes.layout("a"), sizes.layout("b")} != {"plain"}:
        raise ValueError("multi_head_attention has no operands a and b: say q=, k=, v= or wq=")
    if sizes.param("mask") not in {"bool", "add"} and sizes.param("over") != SHARED[0]:
        raise ValueError(f"over= is of mask=bool|add, not of mask={sizes.param('mask')}")


def _result(sizes: Sizes) -> Shape:
    return (*sizes.batch_a, sizes.m, sizes.k)


def _terms(sizes: Sizes) -> int:
    """Count two products of queries and keys, and four projections: two a query, two a key."""
    m, n, k = sizes.m, sizes.n, sizes.k
    return 2 * m * n * k + 2 * (m + n) * k * k


MULTI_HEAD_ATTENTION: Final = Form(
    "multi_head_attention",
    {
        "heads": Param("4", low=1, high=2**10),
        "bias": Param("no", ("no", "yes")),
        "mask": Param("none", MASKS),
        "over": Param(SHARED[0], SHARED),
    },
    operands=_operands,
    batch=lambda sizes: sizes.batch_a,
    invoke=_invoke,
    check=_check,
    transposes=("nt",),
    dtypes=("float32", "float16", "bfloat16"),
    result=_result,
    grid=_result,
    terms=_terms,
)
