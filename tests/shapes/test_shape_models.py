"""The shipped sets: their weights add up to what the models are known to have."""

from __future__ import annotations

from math import prod

import pytest

from pytest_applegpu.problem import parse_problem
from pytest_applegpu.shapes.models import shapes_named, shipped
from pytest_applegpu.shapes.shapes import Shape, ShapesError

DECODERS = ["llama-2-7b", "qwen3-8b", "qwen3-30b-a3b"]


def weights(one: Shape) -> int:
    """Return the numbers in the weights of a shape, all layers together."""
    problem = one.problem
    stacks = prod(problem.batch_b) if problem.op.startswith("gather") else 1
    return 0 if problem.op == "sdpa" else one.count * stacks * problem.n * problem.k


@pytest.mark.parametrize("phase", ["prefill", "decode"])
@pytest.mark.parametrize(
    ("name", "total", "embedding"),
    [
        # Billions of parameters as published: those of norms and biases are thousandths of it.
        ("llama-2-7b", 6.738, 32000 * 4096),
        ("qwen3-8b", 8.19, 151936 * 4096),
        ("qwen3-30b-a3b", 30.53, 151936 * 2048),
    ],
)
def test_weights_are_as_many_as_the_model_has(
    name: str, total: float, embedding: int, phase: str
) -> None:
    for found in (shipped()[name], shipped()[f"{name}-4bit"]):
        counted = sum(weights(one) for one in found.shapes if one.phase == phase)
        assert (counted + embedding) / 1e9 == pytest.approx(total, rel=2e-3)


def test_the_image_side_of_clip_has_as_many_weights_as_published() -> None:
    found = shipped()["clip-vit-l-14"]
    # 303.97 million: with embeddings of 257 places and a class, norms and biases.
    others = 258 * 1024 + 24 * (4 * 1024 + 4 * 1024 + 4096 + 1024) + 4 * 1024
    counted = sum(weights(one) for one in found.shapes)
    assert (counted + others) / 1e6 == pytest.approx(303.97, abs=0.3)


def test_llama_2_is_as_long_known() -> None:
    cases = {(str(one.problem), one.phase): one.count for one in shipped()["llama-2-7b"].shapes}
    assert cases["matmul-f16-nt-512x4096x4096", "prefill"] == 32 * 4
    assert cases["matmul-f16-nt-512x11008x4096", "prefill"] == 32 * 2
    assert cases["matmul-f16-nt-1x4096x11008", "decode"] == 32
    assert cases["sdpa-f16-nt-512x512x128-b1x32 mask=causal", "prefill"] == 32


@pytest.mark.parametrize("name", DECODERS)
def test_packed_sets_have_the_same_work(name: str) -> None:
    def work(set_name: str) -> int:
        return sum(one.count * one.problem.flops for one in shipped()[set_name].shapes)

    assert work(name) == work(f"{name}-4bit")
    ops = {one.problem.op for one in shipped()[f"{name}-4bit"].shapes}
    assert ops <= {"quantized_matmul", "gather_qmm", "sdpa"}


def test_every_set_names_its_source_and_reads_as_problems() -> None:
    for found in shipped().values():
        assert found.source.startswith("https://")
        assert found.source.endswith("config.json")
        assert all(parse_problem(str(one)) == one for one in found.problems)
        assert len(set(found.shapes)) == len(found.shapes)


def test_another_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(ShapesError, match=r"'llama' is not one of llama-2-7b, .*, or a file"):
        shapes_named("llama")


def test_sets_of_decoders_say_how_many_tokens_a_prefill_takes_in() -> None:
    tokens = {one.name: one.tokens for one in shipped().values()}
    assert tokens["llama-2-7b"] == tokens["llama-2-7b-4bit"] == 512
    assert tokens["clip-vit-l-14"] == 0
