"""Products of two stacks of matrices: `matmul` and `addmm`."""

from __future__ import annotations

from typing import Final

from pytest_applegpu.forms.form import (
    Form,
    Invocation,
    Operand,
    Param,
    Shape,
    Sizes,
    broadcast,
    matrix,
    operand,
    vector,
)

SCALES: Final = ("1", "0", "-1", "0.5", "2", "-0.25")
"""Factors that are powers of two, so that exact data stay exact."""

ADDENDS: Final = ("full", "row", "column", "one", "matrix")
"""Shapes of an addend: the result's, one row, one column, one element, one matrix of a batch."""


def pair(sizes: Sizes) -> tuple[Operand, Operand]:
    """Return A of shape (*batch_a, M, K) and B of (*batch_b, K, N)."""
    a, b = (letter == "t" for letter in sizes.transpose)
    shape_a, shape_b = (*sizes.batch_a, sizes.m, sizes.k), (*sizes.batch_b, sizes.k, sizes.n)
    return (
        matrix("a", sizes.dtype.name, sizes, shape_a, transposed=a),
        matrix("b", sizes.dtype.name, sizes, shape_b, transposed=b),
    )


def batch(sizes: Sizes) -> Shape:
    """Return both batches broadcast against each other."""
    return broadcast(sizes.batch_a, sizes.batch_b)


VIA: Final = ("function", "operator", "einsum", "tensordot", "inner")
"""Ways to ask for a product: `mx.matmul`, `a @ b`, and three that are lowered to it."""


def _matmul_operands(sizes: Sizes) -> tuple[Operand, ...]:
    """Return A and B; `inner` is handed B transposed, (N, K), and sums over both last axes."""
    a, b = pair(sizes)
    if sizes.param("via") == "inner":
        plain = sizes.transpose[1] == "n"
        b = matrix("b", sizes.dtype.name, sizes, (sizes.n, sizes.k), transposed=plain)
    return a, b


def _matmul(sizes: Sizes) -> Invocation:
    both = operand("a"), operand("b")
    calls = {
        "function": Invocation("matmul", both),
        "operator": Invocation("@", both),
        "einsum": Invocation("einsum", ("mk,kn->mn", *both)),
        "tensordot": Invocation("tensordot", both, {"axes": 1}),
        "inner": Invocation("inner", both),
    }
    return calls[sizes.param("via")]


def _check_via(sizes: Sizes) -> None:
    """Refuse batches and vectors for what is said of two matrices.

    Raises:
        ValueError: the message names the way of calling.
    """
    via = sizes.param("via")
    if via in VIA[:2]:
        return
    if sizes.batch_a or sizes.batch_b or "vec" in {sizes.layout("a"), sizes.layout("b")}:
        raise ValueError(f"via={via} is for two matrices, without batch and vectors")


def _addend(sizes: Sizes) -> Operand:
    rows = () if sizes.layout("a") == "vec" else (sizes.m,)
    cols = () if sizes.layout("b") == "vec" else (sizes.n,)
    if not (rows and cols):
        # What a vector gives has its axis less, and so has what is added to it.
        return vector("c", sizes.dtype.name, sizes, (*batch(sizes), *rows, *cols), None)
    shapes: dict[str, Shape] = {
        "full": (*batch(sizes), sizes.m, sizes.n),
        "row": (1, sizes.n),
        "column": (sizes.m, 1),
        "one": (1, 1),
        "matrix": (sizes.m, sizes.n),
    }
    shape = shapes[sizes.param("addend")]
    return matrix("c", sizes.dtype.name, sizes, shape, transposed=False)


def _check_addend(sizes: Sizes) -> None:
    """Refuse an addend to a vector that is no vector itself."""
    if "vec" in {sizes.layout("a"), sizes.layout("b")} and sizes.param("addend") != "full":
        raise ValueError("addend= is for matrices: with a=vec or b=vec it is the result's size")


def _addmm(sizes: Sizes) -> Invocation:
    alpha, beta = (float(sizes.param(name)) for name in ("alpha", "beta"))
    arguments = (operand("c"), operand("a"), operand("b"))
    return Invocation("addmm", arguments, {"alpha": alpha, "beta": beta})


MATMUL: Final = Form(
    "matmul",
    {"via": Param("function", VIA)},
    operands=_matmul_operands,
    batch=batch,
    invoke=_matmul,
    check=_check_via,
    vectors=True,
)

ADDMM: Final = Form(
    "addmm",
    {
        "alpha": Param("1", SCALES),
        "beta": Param("1", SCALES),
        "addend": Param("full", ADDENDS),
    },
    operands=lambda sizes: (*pair(sizes), _addend(sizes)),
    batch=batch,
    invoke=_addmm,
    check=_check_addend,
    vectors=True,
    dtypes=("float32", "float16", "bfloat16", "complex64"),
)
