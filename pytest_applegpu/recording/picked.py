"""Calls whose matrices are picked by index, and what is said of the indices."""

from __future__ import annotations

from math import prod
from typing import Final

from pytest_applegpu.forms.form import broadcast
from pytest_applegpu.recording.draft import (
    Met,
    NotSaid,
    array,
    matrix,
    notes,
    of_pair,
    one_format,
)
from pytest_applegpu.recording.lying import Lying
from pytest_applegpu.recording.seen import Array, Call

_WRITTEN: Final = "the indices that MLX makes itself are handed over"
_FLAT: Final = "indices of shape {shape} are handed over in a row"
_UNSORTED: Final = "sorted_indices is not said, as both operands are picked"


def gather_mm(call: Call) -> Met:
    """Read `gather_mm`, of which the numbers of the indices are not seen."""
    a, b = array(call, "a"), array(call, "b")
    left, right = matrix("a", a), matrix("b", b)
    words, told = picks(call, left.batch, right.batch)
    return Met(
        of_pair("gather_mm", one_format(a, b), left, right, words),
        (*told, *notes(left, right)),
    )


def picks(
    call: Call, batch_a: tuple[int, ...], batch_b: tuple[int, ...]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return what a problem says of the indices, and in what it differs from the call.

    An operand without indices is taken in its own order: MLX makes indices of its batch's shape.

    Raises:
        NotSaid: there are no indices.
    """
    own = {"lhs": batch_a, "rhs": batch_b}
    found = {name: call.get(f"{name}_indices") for name in own}
    given = {name: one.shape for name, one in found.items() if isinstance(one, Array)}
    if not given:
        raise NotSaid("no indices: it is a product of stacks")
    is_sorted = bool(call.get("sorted_indices", False))
    if len(given) == 1:
        ((name, shape),) = given.items()
        other = own["rhs" if name == "lhs" else "lhs"]
        if shape == other:
            return {"by": name, "order": "sorted" if is_sorted else "random"}, ()
        given = {name: shape, "other": other}
    shape = broadcast(*given.values())
    told = [_WRITTEN] if "other" in given else []
    told += [_FLAT.format(shape=list(shape))] if len(shape) != 1 else []
    told += [_UNSORTED] if is_sorted else []
    return {"by": "both", "picks": str(prod(shape))}, tuple(told)


def laid(call: Call, names: tuple[str, ...]) -> dict[str, Lying]:
    """Return how those of the operands lie that were given."""
    given = {name: call.get(name) for name in names}
    return {
        name: matrix(name, one, transposes=False)
        for name, one in given.items()
        if isinstance(one, Array)
    }
