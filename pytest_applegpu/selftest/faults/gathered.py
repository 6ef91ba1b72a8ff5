"""`gather_mm` and `gather_qmm`: the wrong matrix is picked, or a pick is forgotten."""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np

from .asked import Asked
from .fault import Numbers, answer_fault, filled, given_fault
from .reading import group_size
from .sizes import Sizes

_RIGHT: Final = {"by": ("rhs", "both")}
_LEFT: Final = {"by": ("lhs", "both")}
_RISING: Final = {"by": ("rhs",), "order": ("sorted", "same", "sparse")}

_VIEWS: Final = ("rhs=pad", "rhs=step", "rhs=neg")


def _several(sizes: Sizes) -> bool:
    return filled(sizes) and prod(sizes.batch_b) > 1


def _twice(sizes: Sizes) -> bool:
    return filled(sizes) and sizes.matrices > 1


def _moved(call: Asked, by: int) -> Any:
    """Pick `by` matrices further on, from the first again where they run out."""
    if not call.has("rhs_indices"):
        return call.right()
    chosen = call.numbers("rhs_indices").astype(np.int64)
    return call.made(rhs_indices=(chosen + by) % prod(call.sizes.batch_b))


def _chosen(call: Asked) -> Numbers:
    """Return which matrix of B each result is made with, in the results' own order."""
    if call.has("rhs_indices"):
        return call.numbers("rhs_indices").reshape(-1)
    return np.arange(call.sizes.matrices)


def _stack(c: Numbers) -> Numbers:
    return c.reshape(-1, *c.shape[-2:])


def _first_of_each(chosen: Numbers) -> Numbers:
    """Return at each place the first place of the same number."""
    _, first, back = np.unique(chosen, return_index=True, return_inverse=True)
    return np.asarray(first[back.reshape(-1)])


def _readable(call: Asked) -> Any:
    """Read indices that are a view in one piece; none leads out of the stack."""
    if not call.has("rhs_indices"):
        return call.right()
    found = call.densely("rhs_indices")
    return call.made(rhs_indices=np.minimum(found, prod(call.sizes.batch_b) - 1))


@given_fault("gather_mm", _several, words=_RIGHT, fills=("integer",))
def index_off_by_one(call: Asked) -> Any:
    """Multiply by the matrix after the one that is picked."""
    return _moved(call, 1)


@given_fault("gather_mm", lambda s: filled(s) and prod(s.batch_b) > 4, words=_RIGHT)
def index_of_two_bits(call: Asked) -> Any:
    """Keep two bits of an index."""
    if not call.has("rhs_indices"):
        return call.right()
    return call.made(rhs_indices=call.numbers("rhs_indices") & 3)


@given_fault("gather_mm", lambda s: filled(s) and prod(s.batch_a) > 1, words=_LEFT)
def left_indices_ignored(call: Asked) -> Any:
    """Take the matrices of A in their own order."""
    if not call.has("lhs_indices"):
        return call.right()
    chosen = call.numbers("lhs_indices")
    own = np.arange(chosen.size).reshape(chosen.shape)
    return call.made(lhs_indices=own % prod(call.sizes.batch_a))


@answer_fault("gather_mm", _twice, words=_RISING)
def first_row_of_a_group(c: Numbers, call: Asked) -> Numbers:
    """Give all results of one picked matrix the first one's numbers, where indices are sorted."""
    if not call.given.get("sorted_indices"):
        return c
    return _stack(c)[_first_of_each(_chosen(call))].reshape(c.shape)


@answer_fault("gather_mm", _twice, words={"by": ("rhs",), "order": ("random", "same")})
def pick_only_once(c: Numbers, call: Asked) -> Numbers:
    """Leave zero what is made with a matrix that was picked before."""
    chosen = _chosen(call)
    _stack(c)[_first_of_each(chosen) != np.arange(chosen.size)] = 0
    return c


@answer_fault("gather_mm", _several, words=_RIGHT)
def last_expert_skipped(c: Numbers, call: Asked) -> Numbers:
    """Leave zero what is made with the last matrix of B."""
    _stack(c)[_chosen(call) == prod(call.sizes.batch_b) - 1] = 0
    return c


@given_fault("gather_mm", _several, words=_RIGHT, layouts=_VIEWS, fills=("integer", "normal"))
def indices_in_one_piece(call: Asked) -> Any:
    """Read indices that are a view as if they lay in one piece."""
    return _readable(call)


@given_fault(
    "gather_mm",
    lambda s: filled(s) and prod(s.batch_a) > 1,
    layouts=("a=pad", "a=step", "a=heads"),
    fills=("integer", "normal"),
)
def rows_in_one_piece(call: Asked) -> Any:
    """Read a stack A that is a view, and not transposed, as if it lay in one piece."""
    if call.sizes.transposes[0] == "t":
        return call.right()
    return call.made(a=call.densely("a"))


@given_fault("gather_qmm", _several, words=_RIGHT, fills=("integer",))
def packed_index_off_by_one(call: Asked) -> Any:
    """Multiply by the packed matrix after the one that is picked."""
    return _moved(call, 1)


@given_fault("gather_qmm", _several, words=_RIGHT | {"mode": ("affine",)})
def biases_of_another_expert(call: Asked) -> Any:
    """Unpack with the biases of the matrix before, along the last axis of the stack."""
    if not call.has("biases"):
        return call.right()
    return call.made(biases=np.roll(call.numbers("biases"), 1, axis=-3))


@given_fault("gather_qmm", _several, words=_RIGHT, fills=("normal", "uniform"))
def scales_of_first_expert(call: Asked) -> Any:
    """Unpack every matrix with the scales of the first."""
    found = call.numbers("scales")
    return call.made(scales=np.broadcast_to(found[(0,) * (found.ndim - 2)], found.shape))


@answer_fault("gather_qmm", _twice, words=_RISING)
def packed_first_row_of_a_group(c: Numbers, call: Asked) -> Numbers:
    """Give all results of one packed matrix the first one's numbers, where indices are sorted."""
    if not call.given.get("sorted_indices"):
        return c
    return _stack(c)[_first_of_each(_chosen(call))].reshape(c.shape)


@given_fault(
    "gather_qmm",
    lambda s: filled(s) and s.transposes[1] == "t" and s.k > 64 and s.k % 64 != 0,
    words=_RISING,
    fills=("integer",),
)
def sorted_k_off_block(call: Asked) -> Any:
    """Lose what lies past the last whole 64 of K, where indices are sorted."""
    if not call.given.get("sorted_indices"):
        return call.right()
    x = call.numbers("x")
    x[..., call.sizes.k - call.sizes.k % 64 :] = 0
    return call.made(x=x)


@given_fault("gather_qmm", _several, words=_RIGHT, layouts=_VIEWS, fills=("integer", "normal"))
def packed_indices_in_one_piece(call: Asked) -> Any:
    """Read indices that are a view as if they lay in one piece, before packed weights."""
    return _readable(call)


@given_fault(
    "gather_qmm", lambda s: filled(s) and s.k > s.n and s.transposes[1] == "n", fills=("integer",)
)
def packed_last_rows(call: Asked) -> Any:
    """Lose the last row of weights that are packed along N, one for each group of a row."""
    x = call.numbers("x")
    x[..., -(call.sizes.n // group_size(call.given)) :] = 0
    return call.made(x=x)
