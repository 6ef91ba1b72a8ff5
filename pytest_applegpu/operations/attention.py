"""`sdpa`: attention, drawn so that a query picks one key or two, or sees all of them alike.

Exact data give every key a code of +-1 and every query that of one key, so large that the scores
of all other codes lie 128 or more below it: e**-128 is 0 in float32, and the result a copy of a row
of V, or the mean of two. Every second key has a twin of the same code: a masked key that is
seen after all turns the copy into a mean. Fill `ones` makes all scores 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.forms.attention import mask_shape, scale_of, value_size
from pytest_applegpu.numerics.attention import Attention, allowed
from pytest_applegpu.numerics.bounds import Arithmetic, promise
from pytest_applegpu.numerics.draws import Order, nonzero
from pytest_applegpu.numerics.fills import sketch
from pytest_applegpu.numerics.held import Held, expect
from pytest_applegpu.numerics.rounding import Array, round_to, widen
from pytest_applegpu.operations.drawn import Drawn, Pencil, one_matrix

GAP: Final = 64.0
"""Score of one place of a code that agrees: two that differ in one place lie 128 apart."""

_KEPT: Final = 0.75
"""Share of keys that a mask lets through."""

_DARK: Final = 0.25
"""Share of queries that see nothing, where some are to."""

_WIDEST: Final = 2**10
"""Largest number in V."""


@dataclass(frozen=True, slots=True)
class _Masks:
    """Which keys are visible, (B, H, L, S) or broadcast to it; what is handed over, and added."""

    visible: Array
    sent: tuple[Array, ...] = ()
    added: Array | None = None


def sdpa(pencil: Pencil) -> Drawn:
    """Draw queries, keys, values, and the mask and sinks that the problem asks for."""
    masks = _masks(pencil)
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
    return Drawn(sent, q, np.swapaxes(k, -1, -2), judge=_held(pencil, one))


def _held(pencil: Pencil, one: Attention) -> Held:
    problem = pencil.problem
    exact = one.output
    bound = allowed(one, problem.dtype, _weakest(pencil))
    if pencil.is_exact:
        bound = np.where(_settled(one, exact, problem.dtype), 0.0, bound)
    telling = ~one.dark & ~np.isnan(exact).any(axis=-1)
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


def _weakest(pencil: Pencil) -> Arithmetic:
    """Return the weakest arithmetic that a route of as many operand bits may have."""
    dtype = pencil.problem.dtype
    unit = 2 * promise(dtype).accumulator_unit
    return Arithmetic(pencil.bits, operand_truncates=True, accumulator_unit=unit)


def _settled(one: Attention, exact: Array, dtype: DType) -> Array:
    """Return which elements no rounding can touch: weights 0 or 2**-n, and a result that is held.

    A query that sees nothing takes its mean over keys, whose number may be any.
    """
    weights = one.weights
    largest = weights.max(axis=-1, initial=0.0)
    whole = (weights == largest[..., None]) | (weights < np.exp(-GAP))
    powers = (np.frexp(largest)[0] == 0.5) & np.asarray(whole.all(axis=-1))
    spoilt = np.asarray(np.isnan(weights).any(axis=-1))
    held = round_to(exact, dtype) == exact
    settled: Array = (powers[..., None] & held) | spoilt[..., None] | (largest == 0)[..., None]
    return settled


def _sharp(pencil: Pencil, masks: _Masks) -> tuple[Array, Array]:
    """Draw codes for keys, and for each query the code of a key that it sees."""
    problem, rng = pencil.problem, pencil.rng
    codes = _codes(pencil)
    target = _targets(pencil, masks)
    shared = np.repeat(codes, problem.batch_a[1] // problem.batch_b[1], axis=1)
    chosen = np.take_along_axis(shared, target[..., None], axis=2) if problem.n else None
    shape = (*problem.batch_a, problem.m, problem.k)
    strength = 0.0 if pencil.fill == "ones" else GAP / scale_of(problem)
    q = rng.integers(1, 3, shape) if chosen is None else strength * chosen
    return q.astype(problem.dtype.numpy), codes.astype(problem.dtype.numpy)


def _codes(pencil: Pencil) -> Array:
    """Draw a code of +-1 for each key, (B, H_kv, S, D): half of them are shared by two keys."""
    problem, rng = pencil.problem, pencil.rng
    keys, size = problem.n, problem.k
    numbers = np.arange(keys)
    if problem.param("sinks") == "no":
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


def _targets(pencil: Pencil, masks: _Masks) -> Array:
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


def _blunt(pencil: Pencil, masks: _Masks) -> tuple[Array, Array]:
    """Draw normal queries and keys, with one key for each query whose weight stands out."""
    problem, rng = pencil.problem, pencil.rng
    k = rng.standard_normal((*problem.batch_b, problem.n, problem.k))
    k = one_matrix(k, problem.layout("k"))
    q = rng.standard_normal((*problem.batch_a, problem.m, problem.k))
    if problem.n and problem.k:
        shared = np.repeat(k, problem.batch_a[1] // problem.batch_b[1], axis=1)
        target = _targets(pencil, masks)[..., None]
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
    """Draw a sink for each head: in exact data as large as the highest score, or nothing."""
    problem, rng = pencil.problem, pencil.rng
    if problem.param("sinks") == "no":
        return None
    heads = problem.batch_a[1]
    if not pencil.is_exact:
        drawn = rng.normal(np.log(max(problem.n, 1)), 1, heads)
    elif pencil.fill == "ones":
        drawn = np.zeros(heads)
    else:
        drawn = np.where(np.arange(heads) % 2, -GAP * problem.k, GAP * problem.k)
    return drawn.astype(problem.dtype.numpy)


def _masks(pencil: Pencil) -> _Masks:
    """Draw the mask: every query sees a key, but where some are to see none."""
    problem, rng = pencil.problem, pencil.rng
    kind = problem.param("mask")
    if kind == "none":
        return _Masks(np.ones((problem.m, problem.n), bool))
    if kind == "causal":
        # The last query sees the last key (MLX's documentation: lower-right alignment).
        return _Masks(np.tri(problem.m, problem.n, problem.n - problem.m, dtype=bool))
    shape = mask_shape(problem)
    visible = _visible(pencil, shape)
    if kind == "bool":
        return _Masks(visible, (visible,))
    level = np.zeros(shape) if pencil.is_exact else rng.standard_normal(shape)
    level = one_matrix(level, problem.layout("mask"))
    added = np.where(visible, level, -np.inf).astype(problem.dtype.numpy)
    return _Masks(np.ones((problem.m, problem.n), bool), (added,), widen(added))


def _visible(pencil: Pencil, shape: tuple[int, ...]) -> Array:
    rng = pencil.rng
    visible = rng.random(shape) < _KEPT
    if not visible.size:
        return visible
    rows = visible.reshape(-1, shape[-1])
    rows[np.arange(len(rows)), rng.integers(0, shape[-1], len(rows))] = True
    rows.reshape(shape)[..., -1, -1] = True
    if pencil.problem.param("hide") == "rows":
        dark = rng.random(len(rows)) < _DARK
        dark[0] = True
        rows[dark] = False
    return one_matrix(rows.reshape(shape), pencil.problem.layout("mask"))


def _spoilt(q: Array, rng: np.random.Generator) -> Array:
    """Return queries of which one, of the first head or the last, has a NaN."""
    found = q.copy()
    if q.size:
        head = 0 if rng.integers(2) else -1
        found[-1 if head else 0, head, rng.integers(q.shape[2]), rng.integers(q.shape[3])] = np.nan
    return found
