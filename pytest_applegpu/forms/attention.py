"""Attention: `scaled_dot_product_attention`, softmax(scale Q K^T + mask) V.

M is the number of queries, N that of keys, K the size of a head; `-b1x8:1x2` says one sequence of
8 heads of queries that share 2 heads of keys and values. Operands are q, k, v and, where the
parameters ask for them, mask and sinks.
"""

from __future__ import annotations

from math import log2
from typing import Final

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
    vector,
)

MASKS: Final = ("none", "causal", "bool", "add")
"""No mask; only keys up to the query's own place; truth values; numbers that are added."""

OVER: Final = ("full", "heads", "matrix", "row")
"""Shapes of a mask: the scores' own; one for all heads; one for all; one row for all queries."""

_STACK: Final = 2
"""Axes of a batch: sequences and heads."""


def value_size(sizes: Sizes) -> int:
    """Return the size of a head of V: 0 says that of Q and K."""
    return int(sizes.param("dv")) or sizes.k


def scale_of(sizes: Sizes) -> float:
    """Return the power of two next to K**-0.5, by which scores are scaled without rounding."""
    return 2.0 ** -round(log2(max(sizes.k, 1)) / 2)


def mask_shape(sizes: Sizes) -> Shape:
    """Return the shape of the mask; it has every head where there is an axis of heads."""
    sequences, *heads = sizes.batch_a
    shapes: dict[str, Shape] = {
        "full": (sequences, *heads, sizes.m, sizes.n),
        "heads": (sequences, 1, sizes.m, sizes.n),
        "matrix": (sizes.m, sizes.n),
        "row": (sequences, 1, 1, sizes.n),
    }
    return shapes[sizes.param("over")]


def _operands(sizes: Sizes) -> tuple[Operand, ...]:
    dtype, kept = sizes.dtype.name, sizes.batch_b

    def stack(name: str, shape: Shape) -> Operand:
        return matrix(name, dtype, sizes, shape, transposed=False)

    found = [
        stack("q", (*sizes.batch_a, sizes.m, sizes.k)),
        stack("k", (*kept, sizes.n, sizes.k)),
        stack("v", (*kept, sizes.n, value_size(sizes))),
    ]
    if sizes.param("mask") in {"bool", "add"}:
        kind = "bool" if sizes.param("mask") == "bool" else dtype
        found.append(matrix("mask", kind, sizes, mask_shape(sizes), transposed=False))
    if sizes.param("sinks") == "yes":
        sinks = vector("sinks", dtype, sizes, (sizes.batch_a[-1],))
        found.append(Operand(sinks.name, dtype, sinks.shape, sinks.placement))
    return tuple(found)


def _invoke(sizes: Sizes) -> Invocation:
    named: dict[str, Argument] = {"scale": scale_of(sizes)}
    kind = sizes.param("mask")
    if kind != "none":
        named["mask"] = "causal" if kind == "causal" else operand("mask")
    if sizes.param("sinks") == "yes":
        named["sinks"] = operand("sinks")
    given = (operand("q"), operand("k"), operand("v"))
    return Invocation("fast.scaled_dot_product_attention", given, named)


def _check(sizes: Sizes) -> None:
    """Refuse heads that do not fit together, and words about a mask that there is not.

    Raises:
        ValueError: the message names the part.
    """
    a, b = sizes.batch_a, sizes.batch_b
    if len(a) != _STACK or len(b) != _STACK:
        raise ValueError("sdpa needs sequences and heads, as in -b1x8:1x2")
    if a[0] != b[0]:
        raise ValueError(f"sdpa has as many sequences of queries as of keys, not {a[0]} and {b[0]}")
    if not b[1] or a[1] % b[1]:
        raise ValueError(f"{a[1]} heads of queries cannot share {b[1]} heads of keys")
    if {sizes.layout("a"), sizes.layout("b")} != {"plain"}:
        raise ValueError("sdpa has no operands a and b: say q=, k= or v=")
    given = sizes.param("mask") in {"bool", "add"}
    if not given and sizes.param("over") != "full":
        raise ValueError(f"over= is of mask=bool|add, not of mask={sizes.param('mask')}")
    if sizes.param("hide") == "rows" and not given:
        raise ValueError(f"hide=rows is of mask=bool|add, not of mask={sizes.param('mask')}")


def _result(sizes: Sizes) -> Shape:
    return (*sizes.batch_a, sizes.m, value_size(sizes))


SDPA: Final = Form(
    "sdpa",
    {
        "mask": Param("none", MASKS),
        "over": Param("full", OVER),
        "hide": Param("some", ("some", "rows")),
        "dv": Param("0", low=0, high=2**16),
        "sinks": Param("no", ("no", "yes")),
    },
    operands=_operands,
    batch=lambda sizes: sizes.batch_a,
    invoke=_invoke,
    check=_check,
    transposes=("nt",),
    dtypes=("float32", "float16", "bfloat16"),
    result=_result,
    grid=_result,
    products=2,
)
