"""Products of matrices that are picked by index: `gather_mm`."""

from __future__ import annotations

from math import prod
from typing import Final

from pytest_applegpu.forms.dense import pair
from pytest_applegpu.forms.form import (
    Argument,
    Form,
    Invocation,
    Operand,
    Param,
    Shape,
    Sizes,
    operand,
    vector,
)

ORDERS: Final = ("random", "sorted", "same", "sparse")
"""How indices are drawn: at random; rising (and said to be); all the same; a few of all, rising."""

RISING: Final = frozenset({"sorted", "sparse", "same"})
"""Orders in which no index is smaller than the one before it."""


def picks(sizes: Sizes) -> Shape:
    """Return the shape of the indices, which is the result's batch.

    An operand without indices is taken in its own order, so its stack says how many there are.
    """
    by = sizes.param("by")
    if by == "both":
        return (int(sizes.param("picks")),)
    return sizes.batch_b if by == "lhs" else sizes.batch_a


def picked(sizes: Sizes) -> tuple[str, ...]:
    """Return the names of the index operands."""
    by = sizes.param("by")
    return ("lhs", "rhs") if by == "both" else (by,)


def indices(sizes: Sizes) -> tuple[Operand, ...]:
    """Return the index operands, of the shape of the result's batch."""
    return tuple(vector(name, "uint32", sizes, picks(sizes)) for name in picked(sizes))


def said_sorted(sizes: Sizes) -> bool:
    """Tell whether MLX is told that the indices rise: it asks for that of a lone one."""
    return len(picked(sizes)) == 1 and sizes.param("order") in RISING


def named_indices(sizes: Sizes) -> dict[str, Argument]:
    """Return the arguments that say which matrices are multiplied."""
    given: dict[str, Argument] = {f"{name}_indices": operand(name) for name in picked(sizes)}
    return given | {"sorted_indices": said_sorted(sizes)}


def check_stacks(sizes: Sizes) -> None:
    """Refuse a problem whose stacks cannot be picked from.

    Raises:
        ValueError: an operand is no stack, or a number of picks is said that follows from another.
    """
    for name, batch in (("a", sizes.batch_a), ("b", sizes.batch_b)):
        if not batch:
            raise ValueError(f"{name} needs a batch to pick from, as in -b4:8")
        if not prod(batch) and (name == "a") == ("lhs" in picked(sizes)):
            raise ValueError(f"{name} has a batch of 0, from which nothing can be picked")
    if sizes.param("by") != "both" and sizes.param("picks") != GATHER_PARAMS["picks"].default:
        raise ValueError(f"picks= needs by=both: by={sizes.param('by')} takes a whole stack")


def _gather_mm(sizes: Sizes) -> Invocation:
    return Invocation("gather_mm", (operand("a"), operand("b")), named_indices(sizes))


GATHER_PARAMS: Final = {
    "by": Param("rhs", ("rhs", "lhs", "both")),
    "picks": Param("4", low=0, high=2**20),
    "order": Param("random", ORDERS),
}

GATHER_MM: Final = Form(
    "gather_mm",
    GATHER_PARAMS,
    operands=lambda sizes: (*pair(sizes), *indices(sizes)),
    batch=picks,
    invoke=_gather_mm,
    check=check_stacks,
    dtypes=("float32", "float16", "bfloat16"),
)
