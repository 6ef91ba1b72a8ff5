"""`sdpa`: attention, drawn so that a query picks one key or two, or sees all of them alike.

Exact data give every key a code of +-1 and every query that of one key, so large that the scores
of all other codes lie 128 or more below it: e**-128 is 0 in float32, and the result a copy of a row
of V, or the mean of two. Scores stay within 2**15, as they may be stored in float16: codes longer
than 512 have less for each place, and differ in so many that they lie as far apart. Every second
key has a twin of the same code: a masked key that is seen after all turns the copy into a mean.
Both keys go through the same steps of a kernel, so their scores are equal, rounded or not. Fill
`ones` makes all scores 0.
"""

from __future__ import annotations

from math import floor, log2
from typing import Final

import numpy as np

from pytest_applegpu.forms.attention import scale_of, value_size
from pytest_applegpu.numerics.attention import Attention, allowed, scores_off
from pytest_applegpu.numerics.bounds import Arithmetic, promise
from pytest_applegpu.numerics.draws import Order, nonzero
from pytest_applegpu.numerics.fills import sketch
from pytest_applegpu.numerics.held import Held, expect
from pytest_applegpu.numerics.rounding import Array, round_to, widen
from pytest_applegpu.operations.attention_masks import Masks, draw_masks
from pytest_applegpu.operations.drawn import Drawn, Pencil, one_matrix
from pytest_applegpu.problem import Problem

GAP: Final = 64.0
"""Score of one place of a code that agrees: two that differ in one place lie 128 apart."""

_HIGHEST: Final = 2.0**15
"""Largest score of exact data, of a key whose code agrees in every place: float16 ends at 2**16."""

_WIDEST: Final = 2**10
"""Largest number in V."""


def sdpa(pencil: Pencil) -> Drawn:
    """Draw queries, keys, values, and the mask and sinks that the problem asks for."""
    masks = draw_masks(pencil)
    q, k = _sharp(pencil, masks) if pencil.is_exact else _blunt(pencil, masks)
    v, sinks = one_matrix(_values(pencil), pencil.problem.layout("v")), _sinks(pencil)
    q = one_matrix(q, pencil.problem.layout("q"))
    if pencil.fill == "special":
        q = _spoilt(q, pencil.rng)
        q = one_matrix(q, pencil.problem.layout("q"))
    sent = (q, k, v, *masks.sent, *(() if sinks is None else (sinks,)))
    one = Attention(
        widen(q),
        widen(k),
        widen(v),
        scale_of(pencil.problem),
        masks.visible,
        masks.added,
        None if sinks is None else widen(sinks),
    )
    return Drawn(sent, q, np.swapaxes(k, -1, -2), judge=_held(pencil, one), attention=one)


def _held(pencil: Pencil, one: Attention) -> Held:
    problem = pencil.problem
    exact = one.output
    bound = allowed(one, problem.dtype, weakest(pencil))
    if pencil.is_exact:
        exact = np.where(np.abs(exact) < np.exp(-GAP), 0.0, exact)
        bound = np.where(_settled(one, exact, pencil), 0.0, bound)
    telling = ~one.dark & ~np.isnan(exact).any(axis=-1)
    if pencil.is_exact:
        telling &= np.asarray(exact.any(axis=-1))  # where a sink takes all, nothing is left to tell
    # Keys that are all alike tell no query from another; where NaN goes, nothing else matters.
    alike = (
        problem.n == 1 or pencil.fill == "special" or (pencil.is_exact and pencil.fill == "ones")
    )
    return Held(
        expect(exact, bound, problem.dtype),
        problem.shape_c,
        None if alike else one.lost,
        telling,
        (-1,) if alike or problem.m == 1 else (-2, -1),
    )


def weakest(pencil: Pencil) -> Arithmetic:
    """Return the weakest arithmetic that a route of as many operand bits may have."""
    dtype = pencil.problem.dtype
    unit = 2 * promise(dtype).accumulator_unit
    return Arithmetic(pencil.bits, operand_truncates=True, accumulator_unit=unit)


def _settled(one: Attention, exact: Array, pencil: Pencil) -> Array:
    """Return which elements no rounding can touch: weights 0 or 2**-n, and a result that is held.

    A weight is 0 where that holds with its score, and the highest, as far off as is allowed.
    A query that sees nothing takes its mean over keys, whose number may be any.
    """
    weights, dtype = one.weights, pencil.problem.dtype
    largest = weights.max(axis=-1, initial=0.0)
    above = one.scores.max(axis=-1, keepdims=True, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        off = 2 * scores_off(one, dtype, weakest(pencil)).max(axis=-1, keepdims=True, initial=0.0)
        below = one.scores + off < above - GAP
    whole = (weights == largest[..., None]) | below
    powers = (np.frexp(largest)[0] == 0.5) & np.asarray(whole.all(axis=-1))
    spoilt = np.asarray(np.isnan(weights).any(axis=-1))
    held = round_to(exact, dtype) == exact
    settled: Array = (powers[..., None] & held) | spoilt[..., None] | (largest == 0)[..., None]
    return settled


def _sharp(pencil: Pencil, masks: Masks) -> tuple[Array, Array]:
    """Draw codes for keys, and for each query the code of a key that it sees."""
    problem, rng = pencil.problem, pencil.rng
    codes = _codes(pencil)
    target = targets(pencil, masks)
    shared = np.repeat(codes, problem.batch_a[1] // problem.batch_b[1], axis=1)
    chosen = np.take_along_axis(shared, target[..., None], axis=2) if problem.n else None
    shape = (*problem.batch_a, problem.m, problem.k)
    strength = 0.0 if pencil.fill == "ones" else _place(problem) / scale_of(problem)
    q = rng.integers(1, 3, shape) if chosen is None else strength * chosen
    return q.astype(problem.dtype.numpy), codes.astype(problem.dtype.numpy)


def _place(problem: Problem) -> float:
    """Return the score of one place of a code that agrees: a power of two, `GAP` at the most."""
    return min(GAP, 2.0 ** floor(log2(_HIGHEST / max(problem.k, 1))))


def _codes(pencil: Pencil) -> Array:
    """Draw a code of +-1 for each key, (B, H_kv, S, D): half of them are shared by two keys."""
    problem, rng = pencil.problem, pencil.rng
    keys, size = problem.n, problem.k
    numbers = np.arange(keys)
    numbers = np.where(numbers < keys // 2, numbers // 2, numbers)
    stacks = np.empty((*problem.batch_b, keys, size))
    for index in np.ndindex(problem.batch_b):
        if size <= 16:
            bits = rng.permutation(2**size)[rng.permutation(numbers) % 2**size]
            book = (bits[:, None] >> np.arange(size)) & 1
        else:
            book = rng.integers(0, 2, (keys, size))[rng.permutation(numbers)]
        stacks[index] = 2.0 * book - 1
    return one_matrix(stacks, problem.layout("k"))


def targets(pencil: Pencil, masks: Masks) -> Array:
    """Draw for each query a key that it sees; the last query takes the last key, if it can.

    A lone query does so in every second head, or all heads would take the same key.
    """
    problem = pencil.problem
    shape = (*problem.batch_a, problem.m, problem.n)
    visible = np.broadcast_to(masks.visible, shape)
    if masks.added is not None:
        visible = visible & ~np.isneginf(masks.added)
    if not problem.n:
        return np.zeros(shape[:-1], np.int64)
    found: Array = (pencil.rng.random(shape) * visible).argmax(axis=-1)
    if problem.m:
        heads = np.arange(problem.batch_a[1])
        last = visible[..., -1, -1] & ((problem.m > 1) | (heads % 2 == 0))
        found[..., -1] = np.where(last, problem.n - 1, found[..., -1])
    return found


def _blunt(pencil: Pencil, masks: Masks) -> tuple[Array, Array]:
    """Draw normal queries and keys, with one key for each query whose weight stands out."""
    problem, rng = pencil.problem, pencil.rng
    k = rng.standard_normal((*problem.batch_b, problem.n, problem.k))
    k = one_matrix(k, problem.layout("k"))
    q = rng.standard_normal((*problem.batch_a, problem.m, problem.k))
    if problem.n and problem.k:
        shared = np.repeat(k, problem.batch_a[1] // problem.batch_b[1], axis=1)
        target = targets(pencil, masks)[..., None]
        chosen = np.take_along_axis(shared, target, axis=2)
        size = np.square(chosen).sum(axis=-1, keepdims=True) * scale_of(problem)
        q = q + chosen * (np.log(problem.n) + 2) / np.maximum(size, 1.0)
    return q.astype(problem.dtype.numpy), k.astype(problem.dtype.numpy)


def _values(pencil: Pencil) -> Array:
    """Draw V: even numbers that two of add up exactly, else what the fill says."""
    problem, rng = pencil.problem, pencil.rng
    shape = (*problem.batch_b, problem.n, value_size(problem))
    bits = pencil.order().bits
    if pencil.is_exact:
        most = 2 ** (bits - 3) // (max(problem.n, 1) if pencil.fill == "ones" else 1)
        return (2 * nonzero(rng, shape, min(max(most, 1), _WIDEST))).astype(problem.dtype.numpy)
    order = Order(problem.dtype, (1, problem.n), shape, pencil.bits, rng)
    return np.broadcast_to(sketch(pencil.fill, order)[1], shape)


def _sinks(pencil: Pencil) -> Array | None:
    """Draw a sink for each head: in exact data one that takes all in every second, or nothing.

    A sink as high as a score would be exact where both are, but kernels scale scores by log2 e.
    Scores may be stored in the format of the result: a sink lies farther from the highest than both
    can be rounded, on either side.
    """
    problem, rng = pencil.problem, pencil.rng
    if problem.param("sinks") == "no":
        return None
    heads = problem.batch_a[1]
    if not pencil.is_exact:
        drawn = rng.normal(np.log(max(problem.n, 1)), 1, heads)
    elif pencil.fill == "ones":
        drawn = np.zeros(heads)
    else:
        highest = _place(problem) * problem.k
        beyond = highest * (1 + 8 * problem.dtype.unit) + 2 * GAP
        drawn = np.where(np.arange(heads) % 2, 1, -1) * beyond
    return drawn.astype(problem.dtype.numpy)


def _spoilt(q: Array, rng: np.random.Generator) -> Array:
    """Return queries of which one, of the first head or the last, has a NaN."""
    found = q.copy()
    if q.size:
        head = 0 if rng.integers(2) else -1
        found[-1 if head else 0, head, rng.integers(q.shape[2]), rng.integers(q.shape[3])] = np.nan
    return found
