"""Attention in float64 is what its definition says, and its bound covers what kernels do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.attention import Attention, _amplified, allowed, softmax
from pytest_applegpu.numerics.bounds import promise
from pytest_applegpu.numerics.rounding import Array, round_to

SINGLE = DTYPES["float32"]


def drawn(seed: int, dtype: DType = SINGLE, masked: str = "none") -> Attention:
    """Two sequences, four heads of queries over two of keys: 5 queries, 7 keys of size 8."""
    rng = np.random.default_rng(seed)

    def stored(*shape: int) -> Array:
        return round_to(rng.standard_normal(shape), dtype)

    visible = np.ones((5, 7), bool)
    if masked == "causal":
        visible = np.tri(5, 7, 2, dtype=bool)
    elif masked == "bool":
        visible = rng.random((2, 4, 5, 7)) < 0.7
        visible[..., 0] = True
    q, k, v = stored(2, 4, 5, 8), stored(2, 2, 7, 8), stored(2, 2, 7, 3)
    return Attention(q, k, v, 0.25, visible)


def by_loops(one: Attention) -> Array:
    """The definition, one query at a time."""
    result = np.zeros((*one.q.shape[:-1], one.v.shape[-1]))
    shared = one.q.shape[1] // one.k.shape[1]
    visible = np.broadcast_to(one.visible, (*one.q.shape[:-1], one.k.shape[2]))
    for b, h, i in np.ndindex(one.q.shape[:-1]):
        keys = np.flatnonzero(visible[b, h, i])
        scores = [one.scale * one.q[b, h, i] @ one.k[b, h // shared, j] for j in keys]
        total = sum(np.exp(score) for score in scores)
        if one.sinks is not None:
            total += np.exp(one.sinks[h])
        for j, score in zip(keys, scores, strict=True):
            result[b, h, i] += np.exp(score) / total * one.v[b, h // shared, j]
    return result


@pytest.mark.parametrize("masked", ["none", "causal", "bool"])
@pytest.mark.parametrize("sunk", [False, True])
def test_the_output_is_the_definition(masked: str, *, sunk: bool) -> None:
    """Grouped heads, masks and sinks, against sums written out."""
    one = drawn(1, masked=masked)
    if sunk:
        one = replace(one, sinks=np.array([0.5, -1.0, 2.0, 0.0]))
    np.testing.assert_allclose(one.output, by_loops(one), rtol=1e-13, atol=1e-14)


def test_added_numbers_shift_scores_and_hide_keys() -> None:
    """A mask of 0 and -inf is the mask of truth values."""
    one = drawn(2, masked="bool")
    added = np.where(one.visible, 0.0, -np.inf)
    other = replace(one, visible=np.ones((5, 7), bool), added=added)
    np.testing.assert_array_equal(one.output, other.output)


def test_a_query_that_sees_nothing_takes_the_mean_or_the_sink() -> None:
    """Of all values; nothing where a sink takes all; NaN where -inf was added everywhere."""
    one = drawn(3)
    dark = replace(one, visible=np.zeros((5, 7), bool))
    mean = np.repeat(one.v, 2, axis=1).mean(axis=-2)[..., None, :]
    np.testing.assert_allclose(dark.output, np.broadcast_to(mean, dark.output.shape))
    assert not replace(dark, sinks=np.zeros(4)).output.any()
    added = np.full((5, 7), -np.inf)
    assert np.isnan(replace(one, added=added).output).all()
    assert replace(one, added=added).dark.all()


def test_softmax_of_special_scores() -> None:
    """Weights add up to 1, whatever the size of scores; NaN stays in its row."""
    found = softmax(np.array([[1e5, 1e5, -1e5], [np.nan, 0, 0], [-np.inf, 0, 0]]))
    np.testing.assert_array_equal(found[0], [0.5, 0.5, 0])
    assert np.isnan(found[1]).all()
    np.testing.assert_array_equal(found[2], [0, 0.5, 0.5])


def unfused(one: Attention, dtype: DType) -> Array:
    """What MLX does without a kernel of its own: every array is stored in its format."""
    q = round_to(one.q * one.scale, dtype)
    scores = round_to(summed(q, one.keys), dtype)
    scores = np.where(one.visible, scores, -np.inf).astype(np.float32)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = round_to(np.asarray(powers / powers.sum(axis=-1, keepdims=True), np.float64), dtype)
    return round_to(summed(weights, one.values), dtype)


def summed(x: Array, y: Array) -> Array:
    """Multiply with sums in float32."""
    return np.asarray(x.astype(np.float32) @ y.astype(np.float32), np.float64)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    name=st.sampled_from(["float32", "float16", "bfloat16"]),
    masked=st.booleans(),
)
def test_the_bound_covers_an_honest_kernel(seed: int, name: str, *, masked: bool) -> None:
    """Arrays stored on the way in the format of the result keep within it."""
    dtype = DTYPES[name]
    one = drawn(seed, dtype, "bool" if masked else "none")
    error = np.abs(unfused(one, dtype) - one.output)
    assert (error <= allowed(one, dtype, promise(dtype))).all()


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
def test_the_bound_sees_a_lost_key_and_a_wrong_scale(name: str) -> None:
    """It is far below what a fault makes, for most elements."""
    dtype = DTYPES[name]
    one = drawn(5, dtype)
    bound = allowed(one, dtype, promise(dtype))
    assert (np.abs(one.lost) > bound).mean() > 0.5
    scaled = replace(one, scale=0.5).output
    assert (np.abs(scaled - one.output) > bound).mean() > 0.5


def test_a_lost_last_key_is_nothing_where_it_was_hidden() -> None:
    """Queries that do not see it lose nothing."""
    one = drawn(6, masked="causal")
    assert not one.lost[..., :4, :].any()
    assert one.lost[..., 4, :].any()


def test_scores_of_which_nothing_is_known_allow_anything() -> None:
    weights = np.full((1, 4), 0.25)
    change = _amplified(weights, np.full((1, 4), 1e5))
    assert np.isinf(change).all()
    assert np.isfinite(_amplified(weights, np.full((1, 4), 0.1))).all()
