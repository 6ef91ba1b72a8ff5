"""Attention: what MLX refuses, which route is marked, and that reasons are given."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_applegpu.routing.arrays import dense
from pytest_applegpu.routing.calls import Attention
from pytest_applegpu.routing.launch import Refused
from tests.routing.attending import NAX, call_of, kernels, sized, target, written

G = target()
Shape = tuple[int, ...]


def asked(q: Shape, k: Shape, v: Shape, dtype: str = "float16") -> Attention:
    return Attention(dense(q, dtype), dense(k, dtype), dense(v, dtype), mask="", sinks=False)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            asked((8, 1, 64), (1, 8, 9, 64), (1, 8, 9, 64)),
            "input with shape (8,1,64) expected to be rank 4",
        ),
        (
            asked((1, 8, 1, 64), (2, 8, 9, 64), (2, 8, 9, 64)),
            "mismatching batch dimension for input with shape (2,8,9,64).",
        ),
        (
            asked((1, 8, 1, 64), (1, 8, 9, 32), (1, 8, 9, 64)),
            (
                "query, keys expected to have matching last dimension; found query shape "
                "(1,8,1,64) for keys shape (1,8,9,32)."
            ),
        ),
        (
            asked((1, 8, 1, 64), (1, 8, 9, 64), (1, 4, 9, 64)),
            (
                "keys, values expected to have matching n_kv_heads; found keys with n_heads 8 for "
                "values with n_heads 4."
            ),
        ),
        (
            asked((1, 8, 1, 64), (1, 3, 9, 64), (1, 3, 9, 64)),
            "n_heads must be a multiple of n_kv_heads, found n_heads 8 for n_kv_heads 3.",
        ),
        (
            asked((1, 8, 1, 64), (1, 8, 9, 64), (1, 8, 9, 64), "bool_"),
            "Received unsupported type bool.",
        ),
    ],
)
def test_operands_that_do_not_fit_are_refused(call: Attention, words: str) -> None:
    with pytest.raises(Refused) as refused:
        written(call, G)
    assert str(refused.value) == f"[scaled_dot_product_attention] {words}"


def test_a_route_without_fused_kernel_is_marked_since_0_32_4() -> None:
    call = call_of(sized(D=100))
    assert written(call, G).unfused == "UNFUSED"
    assert written(call, replace(G, version="0.32.3")).unfused is None
    assert written(call_of(sized()), G).unfused is None


@pytest.mark.parametrize(
    ("length", "first"), [(8, "sdpa_vector_float16_t_64_64"), (9, "steel_attention_float16")]
)
def test_eight_query_rows_are_the_most_for_vector_kernels(length: int, first: str) -> None:
    (name,) = kernels(G, L=length)
    assert name.startswith(first)


def test_every_route_has_reasons() -> None:
    for changes in ({}, {"L": 9}, {"D": 100}, {"D": 80, "L": 600, "S": 600}):
        assert all(reason.rule for reason in written(call_of(sized(**changes)), NAX).reasons)
        assert written(call_of(sized(**changes)), NAX).reasons
