"""`multi_head_attention`: drawn so that projections, heads and keys all tell if they go astray.

The result is held to `numerics.multihead`. Two sets of inputs and parameters are drawn: codes by
which a query picks a key or two, and normal numbers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from pytest_applegpu.forms.multihead import INPUTS, PROJECTIONS
from pytest_applegpu.numerics.attention import Attention
from pytest_applegpu.numerics.held import Held, expect
from pytest_applegpu.numerics.multihead import MultiHead, Projection
from pytest_applegpu.numerics.rounding import Array, round_to, widen
from pytest_applegpu.operations.attention import GAP, weakest
from pytest_applegpu.operations.attention_masks import Masks, draw_masks
from pytest_applegpu.operations.drawn import Drawn, Pencil
from pytest_applegpu.operations.heads import Parts, picking, weighing
from pytest_applegpu.problem import Problem

_TWO: Final = 2
"""Keys between which a query cannot tell, where data are exact."""


def multi_head_attention(pencil: Pencil) -> Drawn:
    """Draw inputs, weights, biases, and the mask that the problem asks for."""
    problem = pencil.problem
    inner = replace(pencil, problem=_one_head(problem))
    masks = draw_masks(inner)
    parts = picking(pencil, inner, masks) if pencil.is_exact else weighing(pencil, inner, masks)
    if pencil.fill == "special":
        everywhere = problem.layout("q") == "bc"
        parts["q"] = _spoilt(parts["q"], pencil.rng, everywhere=everywhere)
    names = [one.name for one in problem.operands if one.name != "mask"]
    given = {name: parts[name].astype(problem.dtype.numpy) for name in names}
    sent = (*given.values(), *masks.sent)
    judge = _held(pencil, _meant(problem, given, masks)) if pencil.judged else None
    return Drawn(sent, given["q"], np.swapaxes(given["k"], -1, -2), judge=judge)


def _one_head(problem: Problem) -> Problem:
    """Return attention of the inputs themselves, a head a sequence: its mask is every head's."""
    said = {name: problem.param(name) for name in ("mask", "over")}
    if said["over"] == "matrix" and said["mask"] not in {"bool", "add"}:
        said["over"] = "full"
    batch = (*problem.batch_a, 1)
    params = tuple((one, value) for one, value in sorted(said.items()) if value not in _UNSAID)
    layouts = tuple(pair for pair in problem.layouts if pair[0] == "mask")
    sizes = problem.m, problem.n, problem.k
    return Problem(
        "sdpa", problem.dtype, *sizes, "nt", batch, batch, params=params, layouts=layouts
    )


_UNSAID: Final = ("none", "full")


def _meant(problem: Problem, given: Parts, masks: Masks) -> MultiHead:
    """Return what the operands mean, in float64."""
    wide = {name: widen(array) for name, array in given.items()}
    query, key, value, out = (
        Projection(wide[f"w{one}"], wide.get(f"b{one}")) for one in PROJECTIONS
    )
    heads = int(problem.param("heads"))
    q, k, v = (wide[name] for name in INPUTS)
    return MultiHead(q, k, v, query, key, value, out, heads, masks.visible, masks.added)


def _held(pencil: Pencil, one: MultiHead) -> Held:
    problem, exact = pencil.problem, one.output
    bound = one.allowed(problem.dtype, weakest(pencil))
    if pencil.is_exact:
        whole = np.rint(_TWO * exact) / _TWO
        settled = _settled(one.attention)[..., None] & (round_to(whole, problem.dtype) == whole)
        exact = np.where(settled, whole, exact)
        bound = np.where(settled, 0.0, bound)
    spoilt = pencil.fill == "special"
    # Keys of which there are two are taken alike, and so are all queries then.
    alike = problem.m == 1 or problem.n <= _TWO or spoilt
    return Held(
        expect(exact, bound, problem.dtype),
        problem.shape_c,
        telling=_telling(one) & ~np.isnan(exact).any(axis=-1),
        axes=(-1,) if alike else (-2, -1),
        faults=() if spoilt or not exact.size else tuple(one.faults()),
    )


def _telling(one: MultiHead) -> Array:
    """Return which queries see a key, (B, L)."""
    return ~np.asarray(one.attention.dark.any(axis=1))


def _settled(one: Attention) -> Array:
    """Return which queries take a copy or the mean of two in every head, (B, L)."""
    largest = one.weights.max(axis=-1, initial=0.0, keepdims=True)
    whole = (one.weights == largest) | (one.weights < np.exp(-GAP))
    powers = np.asarray(whole.all(axis=-1)) & np.isin(largest[..., 0], (1.0, 1 / _TWO))
    return np.asarray(powers.all(axis=1))


def _spoilt(q: Array, rng: np.random.Generator, *, everywhere: bool) -> Array:
    """Return inputs of queries of which one has a NaN, in the last sequence or in every one."""
    found = q.copy()
    if q.size:
        sequence = slice(None) if everywhere else -1
        found[sequence, rng.integers(q.shape[1]), rng.integers(q.shape[2])] = np.nan
    return found
