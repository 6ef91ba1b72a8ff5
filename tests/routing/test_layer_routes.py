"""A layer's route is that of the product it makes."""

from __future__ import annotations

import pytest

from pytest_applegpu.problem import parse_problem
from pytest_applegpu.routing.problems import call_of_problem, predict, why_unknown
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.setting import Setting

M5_MAX = Gpu("applegpu_g17s")

SAME = {
    "linear-f16-nt-33x64x128 bias=no": "matmul-f16-nt-33x64x128",
    "linear-f32-nt-1x512x512 bias=no": "matmul-f32-nt-1x512x512",
    "linear-f32-nn-9x32x64-b2x3:_ bias=no b=pad:8": "matmul-f32-nn-9x32x64-b2x3:_ b=pad:8",
    "linear-f16-tt-33x64x128 a=pad:8 b=step bias=no": "matmul-f16-tt-33x64x128 a=pad:8 b=step",
    "quantized_linear-f16-nt-9x64x512 bits=8": "quantized_matmul-f16-nt-9x64x512 bits=8",
}


@pytest.mark.parametrize("text", SAME)
def test_a_layer_makes_the_product_without_its_bias(text: str) -> None:
    layer, product = (parse_problem(one) for one in (text, SAME[text]))
    assert call_of_problem(layer) == call_of_problem(product)
    routes = [predict(one, M5_MAX, Setting("on"), "0.32.4") for one in (layer, product)]
    assert routes[0].launches == routes[1].launches


@pytest.mark.parametrize("size", ["33x64x128", "1x512x512", "64x64x64"])
def test_a_bias_is_the_addend_of_addmm_as_a_row(size: str) -> None:
    layer = predict(parse_problem(f"linear-f16-nt-{size}"), M5_MAX, Setting("on"), "0.32.4")
    text = f"addmm-f16-nt-{size} addend=row"
    assert layer.launches == predict(parse_problem(text), M5_MAX, Setting("on"), "0.32.4").launches
    bare = predict(parse_problem(f"linear-f16-nt-{size} bias=no"), M5_MAX, Setting(), "0.32.4")
    assert bare.launches != layer.launches


def test_attention_between_projections_is_many_calls() -> None:
    problem = parse_problem("multi_head_attention-f16-nt-9x33x64-b2")
    assert why_unknown(problem) == "multi_head_attention: its dispatch is not known"
