"""Attention between projections: the definition, a bound that holds, and faults beyond it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.attention import Attention, Off, allowed, softmax
from pytest_applegpu.numerics.bounds import Arithmetic, promise
from pytest_applegpu.numerics.multihead import MultiHead, Projection
from pytest_applegpu.numerics.rounding import Array, round_to

FORMATS = ("float32", "float16", "bfloat16")


def held(x: Array, dtype: DType) -> Array:
    return round_to(x, dtype)


def drawn(dtype: DType, seed: int, *, bias: bool = True) -> MultiHead:
    """Draw 2 sequences of 5 queries and 7 keys, 4 heads of 3 numbers, as the format holds them."""
    rng = np.random.default_rng(seed)
    dims = 12

    def part() -> Projection:
        weight = held(rng.standard_normal((dims, dims)) / dims**0.5, dtype)
        return Projection(weight, held(rng.standard_normal(dims), dtype) if bias else None)

    q, k, v = (held(rng.standard_normal((2, rows, dims)), dtype) for rows in (5, 7, 7))
    visible = np.tri(5, 7, 2, dtype=bool)
    return MultiHead(q, k, v, part(), part(), part(), part(), 4, visible)


def plainly(one: MultiHead, dtype: DType) -> Array:
    """Compute it a head and a query at a time, every stage rounded to `dtype`, sums in float32."""
    single = DTYPES["float32"]

    def projected(part: Projection, x: Array) -> Array:
        found = held(x @ part.weight.T, single)
        return held(found + (0 if part.bias is None else part.bias), dtype)

    q, k, v = projected(one.query, one.q), projected(one.key, one.k), projected(one.value, one.v)
    size = q.shape[-1] // one.heads
    joined = np.zeros_like(q)
    for batch, row, head in np.ndindex(*q.shape[:2], one.heads):
        own = slice(head * size, (head + 1) * size)
        seen = one.visible[row]
        scores = held(q[batch, row, own] @ k[batch, seen, own].T, dtype) * size**-0.5
        weights = held(softmax(held(scores, dtype)), dtype)
        joined[batch, row, own] = held(weights @ v[batch, seen, own], dtype)
    return projected(one.out, joined)


@pytest.mark.parametrize("bias", [False, True])
def test_the_definition_is_that_of_one_head_after_another(*, bias: bool) -> None:
    """In float64 both ways agree."""
    double = DTYPES["float64"]
    one = drawn(double, 1, bias=bias)
    np.testing.assert_allclose(one.output, plainly(one, double), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_rounded_at_every_stage_stays_within_the_bound(name: str) -> None:
    """Which is no more than some hundreds of the error that is made."""
    dtype = DTYPES[name]
    shares = []
    for seed in range(20):
        one = drawn(dtype, seed)
        bound = one.allowed(dtype, promise(dtype))
        shares.append((np.abs(plainly(one, dtype) - one.output) / bound).max())
    assert 0.005 < max(shares) <= 1


@pytest.mark.parametrize("name", FORMATS)
def test_every_step_adds_to_the_bound(name: str) -> None:
    """Cut operands, a bias, and projections that are off each allow more."""
    dtype = DTYPES[name]
    one = drawn(dtype, 3)
    plain = one.allowed(dtype, promise(dtype))
    cut = one.allowed(dtype, Arithmetic(7, operand_truncates=True))
    assert (cut > plain).all()
    less = replace(one, out=Projection(one.out.weight))
    assert (less.allowed(dtype, promise(dtype)) <= plain + dtype.unit * 4).all()
    inner = one.attention
    zero = Off(*(np.zeros(x.shape) for x in (inner.q, inner.k, inner.v)))
    alone = allowed(inner, dtype, promise(dtype))
    np.testing.assert_allclose(allowed(inner, dtype, promise(dtype), zero), alone)


def test_operands_that_are_off_move_the_output_no_further_than_said() -> None:
    """Random changes of queries, keys and values, all within what is said of them."""
    rng = np.random.default_rng(5)
    double, exact = DTYPES["float64"], Arithmetic(53, accumulator_unit=2.0**-53)
    one = drawn(double, 2).attention
    off = Off(*(0.01 * rng.random(x.shape) for x in (one.q, one.k, one.v)))
    bound = allowed(one, double, exact, off)
    largest = 0.0
    for _ in range(50):
        q, k, v = (
            x + far * rng.choice([-1.0, 1.0], x.shape)
            for x, far in ((one.q, off.q), (one.k, off.k), (one.v, off.v))
        )
        moved = Attention(q, k, v, one.scale, one.visible)
        largest = max(largest, float((np.abs(moved.output - one.output) / bound).max()))
    assert 0.05 < largest <= 1


def test_faults_are_told_with_what_they_take_away() -> None:
    """Six of them, each a loss somewhere."""
    found = dict(drawn(DTYPES["float32"], 4).faults())
    assert len(found) == 6
    assert all(np.abs(lost).max() > 1e-3 for lost in found.values())
    assert "dropping the last key" in found
    # A causal mask lets the last query alone see the last key.
    assert not found["dropping the last key"][:, :-1].any()
