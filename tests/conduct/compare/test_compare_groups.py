"""Means by route and by kind, and passes of a model with what has no time left out by name."""

from __future__ import annotations

import pytest

from pytest_applegpu.conduct.compare.groups import by_group, by_route, group_of, passes
from pytest_applegpu.conduct.speed import Ended
from pytest_applegpu.problem import parse_problem
from tests.conduct.compare.made_comparison import GEMM, GEMV, PACKED, ROUTES, model, product, time


def test_ratios_of_a_route_and_of_a_kind_are_taken_together() -> None:
    found = [
        product(GEMM, time(0.5, 1e-3), ROUTES),
        product("matmul-f16-nt-1024x4096x4096", time(0.125, 1e-3), ROUTES),
        product(GEMV, time(1.0, 1e-3), ("gemv", "gemv")),
        product(PACKED, Ended("crashed", "a crash"), ("qmm_nax", "qmm")),
    ]
    routes = by_route(found)
    assert [(name, one.cases) for name, one in routes.items()] == [
        ("gemm_nax against gemm", 2),
        ("gemv", 1),
    ]
    assert routes["gemm_nax against gemm"].ratio == pytest.approx(0.25)
    assert list(by_group(found)) == ["matmul f16 gemm", "matmul f16 gemv"]


def test_without_routes_there_are_kinds_alone() -> None:
    found = [product(GEMM, time(0.5, 1e-3))]
    assert by_route(found) == {}
    assert by_group(found)["matmul f16 gemm"].cases == 1


@pytest.mark.parametrize(
    ("text", "group"),
    [
        (GEMM, "matmul f16 gemm"),
        (PACKED, "quantized_matmul f16 gemm"),
        ("matmul-f32-tn-64x1x64", "matmul f32 gemv"),
        ("matmul-bf16-nn-8x8x8-b4", "matmul bf16 batched"),
    ],
)
def test_kinds(text: str, group: str) -> None:
    assert group_of(parse_problem(text)) == group


def test_a_pass_counts_products_and_tokens() -> None:
    found = [product(GEMM, time(0.5, 2e-3)), product(PACKED, time(1.0, 4e-3))]
    found.append(product(GEMV, time(1.0, 1e-3)))
    prefill, decode = passes([model()], {one.case.problem: one for one in found})
    assert (prefill.phase, prefill.tokens, decode.phase, decode.tokens) == (
        *("prefill", 512),
        *("decode", 1),
    )
    assert prefill.whole is not None
    assert prefill.whole.other_seconds == pytest.approx(3 * 2e-3 + 4e-3)
    assert prefill.whole.seconds == pytest.approx(3 * 1e-3 + 4e-3)
    assert decode.whole is not None
    assert decode.whole.ratio == pytest.approx(1)


def test_what_has_no_time_is_left_out_and_named() -> None:
    ended = Ended("unsupported", "no room")
    found = [product(GEMM, ended), product(PACKED, time(1.0, 4e-3)), product(GEMV, ended)]
    prefill, decode = passes([model()], {one.case.problem: one for one in found})
    assert [str(one.problem) for one in prefill.untimed] == [GEMM]
    assert [str(shape.problem) for shape, _ in prefill.timed] == [str(parse_problem(PACKED))]
    assert decode.whole is None
