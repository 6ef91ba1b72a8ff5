"""Gradients of attention are what finite differences say, and honest half precision is allowed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.numerics.attention import Attention
from pytest_applegpu.numerics.attention_gradient import AttentionGradient
from pytest_applegpu.numerics.bounds import promise
from pytest_applegpu.numerics.rounding import Array, round_to

STEP = 1e-6


def attention(seed: int = 0, first: int = 0) -> Attention:
    """Draw attention under a causal mask whose query `first` is the first to see a key."""
    rng = np.random.default_rng(seed)
    q, k, v = (rng.standard_normal((2, heads, 5, 8)) for heads in (4, 2, 2))
    visible = np.tri(5, 5, -first, dtype=bool)
    return Attention(q, k, v, 0.5, visible)


def cotangent(one: Attention) -> Array:
    found: Array = np.random.default_rng(9).integers(-1, 2, one.output.shape).astype(float)
    return found


@pytest.mark.parametrize("first", [0, 2])
@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_they_are_what_finite_differences_say(name: str, first: int) -> None:
    """Also where queries see no key, and take the mean of all values."""
    one = attention(first=first)
    G = cotangent(one)
    found = AttentionGradient(one, G).exact[name]
    step = np.random.default_rng(5).standard_normal(found.shape)
    ahead, behind = (
        replace(one, **{name: getattr(one, name) + sign * STEP * step}).output for sign in (1, -1)
    )
    change = (G * (ahead - behind)).sum() / (2 * STEP)
    np.testing.assert_allclose((found * step).sum(), change, rtol=1e-6)


def rounded(one: Attention, G: Array, name: str) -> dict[str, Array]:
    """Compute the gradients with every number that is stored rounded to a format."""
    dtype = DTYPES[name]

    def r(x: Array) -> Array:
        return round_to(x, dtype)

    exact = AttentionGradient(one, G)
    weights = r(exact.weights)
    of_weights = r(exact.of_weights)
    mean = r((r(weights * of_weights)).sum(axis=-1, keepdims=True))
    scores = r(weights * r(of_weights - mean))
    turned = np.swapaxes(scores, -1, -2)
    return {
        "q": r(one.scale * (scores @ np.swapaxes(one.keys, -1, -2))),
        "k": r(exact.shared(r(one.scale * (turned @ one.q)))),
        "v": r(exact.shared(r(np.swapaxes(weights, -1, -2) @ G))),
    }


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("seed", range(5))
def test_what_is_rounded_honestly_is_allowed(name: str, seed: int) -> None:
    dtype = DTYPES[name]
    one = attention(seed)
    q, k, v = (round_to(x, dtype) for x in (one.q, one.k, one.v))
    one = replace(one, q=q, k=k, v=v)
    gradient = AttentionGradient(one, cotangent(one))
    allowed = gradient.allowed(dtype, promise(dtype))
    for key, got in rounded(one, cotangent(one), name).items():
        assert (np.abs(got - gradient.exact[key]) <= allowed[key]).all()


def test_a_query_that_sees_no_key_tells_nothing_of_itself() -> None:
    """Its gradient is 0 without any error, and so is what it gives to keys."""
    one = attention(first=2)
    gradient = AttentionGradient(one, cotangent(one))
    allowed = gradient.allowed(DTYPES["float32"], promise(DTYPES["float32"]))["q"]
    assert not gradient.exact["q"][:, :, :2].any()
    assert gradient.exact["q"][:, :, 3:].all()
    assert allowed[:, :, :2].max() < 2.0**-100 < allowed[:, :, 3:].min()


@pytest.mark.parametrize("name", ["float32", "float16"])
def test_a_head_that_is_left_out_is_not(name: str) -> None:
    one = attention()
    gradient = AttentionGradient(one, cotangent(one))
    allowed = gradient.allowed(DTYPES[name], promise(DTYPES[name]))
    half = cotangent(one).copy()
    half[:, ::2] = 0
    lost = AttentionGradient(one, half).exact
    for key in ("q", "k", "v"):
        assert (np.abs(lost[key] - gradient.exact[key]) > allowed[key]).mean() > 0.2
