"""Calls of `matmul` and what is lowered to it, `addmm`, `block_masked_mm` and `segmented_mm`."""

from __future__ import annotations

import re
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

_PLAIN_SUM: Final = re.compile(r"(\w)(\w),\2(\w)->\1\3")
"""An einsum of two matrices that is their product."""

_CUT: Final = "how K is cut into segments is not seen"


def matmul(call: Call) -> Met:
    """Read `matmul` and `a @ b`."""
    return _product(call, {"via": "operator" if call.name == "@" else "function"})


def lowered(call: Call) -> Met:
    """Read what is a product of two matrices by another name."""
    a, b = array(call, "a"), array(call, "b")
    if len(a.shape) != 2 or len(b.shape) != 2:
        raise NotSaid(f"{call.name} of other than two matrices")
    if call.name == "einsum" and not _PLAIN_SUM.fullmatch(call.get("subscripts", "")):
        raise NotSaid("an einsum other than of a plain product, as in ij,jk->ik")
    if call.name == "tensordot" and call.get("axes", 2) not in {1, ((1,), (0,))}:
        raise NotSaid("a tensordot over other axes than the last and the first")
    if call.name == "inner":
        # It is handed B transposed, (N, K).
        b = Array(b.shape[::-1], b.dtype, b.strides[::-1])
    return _product(Call(call.name, {"a": a, "b": b}), {"via": call.name})


def _product(call: Call, said: dict[str, str]) -> Met:
    a, b = array(call, "a"), array(call, "b")
    left, right = _left(a), _right(b)
    return Met(
        of_pair("matmul", one_format(a, b), left, right, said),
        notes(left, right),
    )


def _left(a: Array) -> Lying:
    return Lying((), 1, a.shape[0], layout="vec") if len(a.shape) == 1 else matrix("a", a)


def _right(b: Array) -> Lying:
    return Lying((), b.shape[0], 1, layout="vec") if len(b.shape) == 1 else matrix("b", b)


def addmm(call: Call) -> Met:
    """Read `addmm`; a bias is an addend of one row."""
    a, b, c = (array(call, name) for name in "abc")
    left, right = _left(a), _right(b)
    addend = _addend(c, left, right)
    said = {name: f"{call.get(name, 1.0):g}" for name in ("alpha", "beta")}
    found = [left, right]
    if addend == "full" and len(c.shape) > 1:
        found.append(matrix("c", c, transposes=False))
        said["c"] = found[-1].layout
    return Met(
        of_pair("addmm", one_format(a, b, c), left, right, {"addend": addend, **said}),
        notes(*found),
    )


def _addend(c: Array, left: Lying, right: Lying) -> str:
    rows = () if left.layout == "vec" else (left.rows,)
    cols = () if right.layout == "vec" else (right.cols,)
    full = (*broadcast(left.batch, right.batch), *rows, *cols)
    if c.shape == full:
        return "full"
    matrices = c.shape
    while len(matrices) > 1 and matrices[0] == 1:
        matrices = matrices[1:]
    kinds = {
        (1,): "one",
        (right.cols,): "row",
        (left.rows, 1): "column",
        (left.rows, right.cols): "matrix",
    }
    if matrices not in kinds:
        raise NotSaid(f"an addend of shape {list(c.shape)} to a result of {list(full)}")
    return kinds[matrices]


def block_masked(call: Call) -> Met:
    """Read `block_masked_mm`."""
    a, b = array(call, "a"), array(call, "b")
    left, right = matrix("a", a), matrix("b", b)
    masks = {name: call.get(f"mask_{name}") for name in ("out", "lhs", "rhs")}
    given = {name: mask for name, mask in masks.items() if isinstance(mask, Array)}
    kinds = {"bool" if mask.dtype == "bool" else "float" for mask in given.values()}
    lone = {len(mask.shape) == 2 for mask in given.values()}
    if not given or len(kinds) > 1 or len(lone) > 1:
        raise NotSaid("no masks, or masks of several kinds")
    laid = {f"mask_{name}": matrix(name, one, transposes=False) for name, one in given.items()}
    layouts = {name: one.layout for name, one in laid.items()}
    batched = bool(left.batch or right.batch)
    said = {
        "block": str(call.get("block_size", 64)),
        "masks": "".join(name[0] for name in given),
        "kind": kinds.pop(),
        "over": "all" if lone.pop() and batched else "each",
    }
    return Met(
        of_pair("block_masked_mm", one_format(a, b), left, right, said | layouts),
        notes(left, right, *laid.values()),
    )


def segmented(call: Call) -> Met:
    """Read `segmented_mm`, of which the ends of the segments are not seen."""
    a, b, cuts = (array(call, name) for name in ("a", "b", "segments"))
    left, right = matrix("a", a), matrix("b", b)
    if len(cuts.shape) != 2:
        raise NotSaid(f"segments of shape {list(cuts.shape)}")
    return Met(
        of_pair("segmented_mm", one_format(a, b), left, right, {"parts": str(cuts.shape[0])}),
        (_CUT, *notes(left, right)),
    )
