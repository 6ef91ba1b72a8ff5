"""From which inputs and parameters do heads get queries and keys that tell, projected?

`picking` is exact. Each head has features of its own among the inputs, by which its keys have codes
of +-1; weights of projections select them. The last input is the first feature of all heads, and
parts every code in two. So two keys at most are alike, as many again differ in the last input
alone, and a query has the code of a key, as strong as in `sdpa`. Values and outputs are
sums of few small whole numbers, the last of each always among them.

`weighing` is normal, and keys are twins but for the last input. In every row of a weight the last
input and a few others stand out, of the output's one of the first head among them: their loss
shows, and sums are not much smaller than the sums of sizes by which errors are bounded.
"""

from __future__ import annotations

from math import ceil, log2, sqrt
from typing import Final

import numpy as np

from pytest_applegpu.forms.multihead import PROJECTIONS, head_size
from pytest_applegpu.numerics.draws import nonzero, signs
from pytest_applegpu.numerics.rounding import Array
from pytest_applegpu.operations.attention import GAP, targets
from pytest_applegpu.operations.attention_masks import Masks
from pytest_applegpu.operations.drawn import Pencil, one_matrix
from pytest_applegpu.problem import Problem

Parts = dict[str, Array]
"""Inputs, weights and biases by their operands' names."""

_CODE: Final = 128
"""Features of a code at the most: scores of longer ones would be too large to tell apart."""

_TERMS: Final = 2
"""Inputs that a value is made of, beside the last."""

_JOINED: Final = 12
"""Heads that an output is made of at the most, so that it is exact in bfloat16."""

_FAINT: Final = 0.1
"""Size of all that does not stand out in a row of a weight, together."""

_AHEAD: Final = 6
"""How far the score of the key that a query picks lies above all others together, about."""

_SMALL: Final = 2
"""Largest input of a value."""


def picking(pencil: Pencil, inner: Pencil, masks: Masks) -> Parts:
    """Draw exact inputs and parameters; `inner` is attention of one head over the same mask."""
    problem, rng = pencil.problem, pencil.rng
    strength = 2.0 ** ceil(log2(GAP * sqrt(head_size(problem))))
    codes = _codes(pencil)
    chosen = _chosen(codes, inner, masks)
    parts: Parts = {}
    shift = _shifts(problem, rng)
    parts["q"], parts["wq"] = _selected(chosen - shift, strength, pencil)
    parts["k"], parts["wk"] = _selected(codes - shift, 1.0, pencil)
    parts |= {"bq": strength * shift.reshape(-1), "bk": shift.reshape(-1)}
    values = nonzero(rng, (*problem.batch_a, problem.n, problem.k), _SMALL)
    parts["v"] = one_matrix(values, problem.layout("v"))
    parts["wv"] = _few(rng, problem.k, [(0, problem.k - 1)] * _TERMS)
    parts["wo"] = _few(rng, problem.k, _blocks(problem))
    parts |= {name: nonzero(rng, (problem.k,), _SMALL) for name in ("bv", "bo")}
    # What no feature is made of was drawn anew for every sequence.
    return parts | {one: one_matrix(parts[one], problem.layout(one)) for one in ("q", "k")}


def _codes(pencil: Pencil) -> Array:
    """Draw codes, (B, N, H, d): the first feature of all heads is one, by which groups are parted.

    Of four keys two and two are alike.
    """
    problem, rng = pencil.problem, pencil.rng
    heads, size, count = int(problem.param("heads")), head_size(problem), problem.n
    found = np.empty((*problem.batch_a, count, heads, size))
    for sequence in range(problem.batch_a[0]):
        place = rng.permutation(count)
        for head in range(heads):
            found[sequence, :, head, 1:] = _book(rng, ceil(count / 4), size - 1)[place // 4]
        found[sequence, :, :, 0] = (1.0 - 2 * (place // 2 % 2))[:, None]
    if pencil.fill == "ones":
        found[...] = 1.0
    flat = one_matrix(found.reshape(*found.shape[:2], heads * size), problem.layout("k"))
    return flat.reshape(found.shape)


def _book(rng: np.random.Generator, count: int, size: int) -> Array:
    """Draw `count` codes of +-1, no two of them alike where they are short enough to see to it."""
    if size <= 16:
        numbers = rng.permutation(2**size)[np.arange(count) % 2**size]
        return np.asarray(2.0 * ((numbers[:, None] >> np.arange(size)) & 1) - 1)
    return signs(rng, (count, size)).astype(np.float64)


def _chosen(codes: Array, inner: Pencil, masks: Masks) -> Array:
    """Return for each query the code of a key that it sees, (B, M, H, d)."""
    target = targets(inner, masks)[:, 0]
    if not codes.size:
        return np.ones((*target.shape, *codes.shape[2:]))
    return np.take_along_axis(codes, target[:, :, None, None], axis=1)


def _shifts(problem: Problem, rng: np.random.Generator) -> Array:
    """Draw biases of +-1 for codes, (H, d); of the first feature one for all heads."""
    shape = int(problem.param("heads")), head_size(problem)
    if problem.param("bias") == "no":
        return np.zeros(shape)
    shifts = signs(rng, shape).astype(np.float64)
    shifts[:, 0] = shifts[0, 0]
    return shifts


def _selected(features: Array, strength: float, pencil: Pencil) -> tuple[Array, Array]:
    """Return inputs (B, L, D) and a weight (D, D) that makes `strength` times features of them.

    Inputs that no feature is made of are +-1.
    """
    rng = pencil.rng
    *lead, heads, size = features.shape
    dims = heads * size
    own = rng.permutation(dims - 1)[: heads * (size - 1)].reshape(heads, size - 1)
    turns = signs(rng, (heads, size - 1)).astype(np.float64)
    inputs = signs(rng, (*lead, dims)).astype(np.float64)
    inputs[..., own] = features[..., 1:] * turns
    inputs[..., -1] = features[..., 0, 0]
    weight = np.zeros((heads, size, dims))
    weight[:, 0, -1] = strength
    head, place = np.indices(own.shape)
    weight[head, place + 1, own] = strength * turns * (place + 1 < _CODE)
    return inputs, weight.reshape(dims, dims)


def _blocks(problem: Problem) -> list[tuple[int, int]]:
    size, heads = head_size(problem), int(problem.param("heads"))
    return [(head * size, (head + 1) * size) for head in range(min(heads, _JOINED))]


def _few(rng: np.random.Generator, dims: int, blocks: list[tuple[int, int]]) -> Array:
    """Draw a weight whose rows are +-1 at one place of each block and at the last, else 0."""
    weight = np.zeros((dims, dims))
    rows = np.arange(dims)
    for start, stop in blocks:
        if stop > start:
            weight[rows, rng.integers(start, stop, dims)] = signs(rng, (dims,))
    weight[:, -1] = signs(rng, (dims,))
    return weight


def weighing(pencil: Pencil, inner: Pencil, masks: Masks) -> Parts:
    """Draw normal inputs and parameters; of each query's keys one stands out in every head."""
    problem, rng = pencil.problem, pencil.rng
    dims, size = problem.k, head_size(problem)
    anywhere = [(0, dims - 1)] * _TERMS
    parts: Parts = {f"w{one}": _heavy(rng, dims, anywhere) for one in "kv"}
    parts["wo"] = _heavy(rng, dims, [*_blocks(problem)[:1], *anywhere])
    k, v = (rng.standard_normal((*problem.batch_a, problem.n, dims)) for _ in range(2))
    # Two keys differ in the last input alone, in which all are of one size.
    k[..., -2::-2, :] = k[..., :0:-2, :]
    k[..., -1] = np.where(np.arange(problem.n) % 2, 1.0, -1.0)
    v[..., -1] = np.where(v[..., -1] < 0, -1.0, 1.0)
    parts["k"], parts["v"] = (
        one_matrix(x, problem.layout(name)) for x, name in ((k, "k"), (v, "v"))
    )
    order = np.append(rng.permutation(dims - 1), dims - 1)
    parts["wq"] = parts["wk"][:, order]
    q = rng.standard_normal((*problem.batch_a, problem.m, dims))
    if problem.n:
        target = targets(inner, masks)[:, 0, :, None]
        chosen = np.take_along_axis(parts["k"], target, axis=1)[..., order]
        sizes = np.square(chosen @ parts["wq"].T).mean(axis=-1, keepdims=True)
        q = chosen * (np.log(problem.n) + _AHEAD) / (sizes * sqrt(size))
    parts["q"] = one_matrix(q, problem.layout("q"))
    return parts | {f"b{one}": rng.standard_normal(dims) / 2 for one in PROJECTIONS}


def _heavy(rng: np.random.Generator, dims: int, blocks: list[tuple[int, int]]) -> Array:
    """Draw a weight whose rows have one place of each block and the last stand out."""
    standing = _few(rng, dims, blocks) * rng.uniform(0.5, 1.5, (dims, dims))
    return standing + _FAINT / sqrt(dims) * rng.standard_normal((dims, dims))
