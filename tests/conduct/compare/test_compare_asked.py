"""Products by text, in sets, or a few usual ones: all of them timed cases of the first side."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_applegpu.conduct.compare.asked import cases_of, sets_of, usual
from pytest_applegpu.config import read_config
from pytest_applegpu.setting import Setting


@pytest.mark.parametrize("backend", ["metal", "cuda", "cpu", "emulated"])
@pytest.mark.parametrize("switch", ["nax", "tf32", "arch"])
def test_the_usual_ones_are_gemm_gemv_and_quantized(backend: str, switch: str) -> None:
    cases = cases_of(usual(backend, switch), Setting())
    sizes = {(one.problem.op, one.problem.m == 1) for one in cases}
    ops = {"matmul"} if backend == "emulated" else {"matmul", "quantized_matmul"}
    assert {op for op, _ in sizes} == ops
    assert {gemv for op, gemv in sizes if op == "matmul"} == {True, False}
    assert all(one.check == "throughput" for one in cases)
    if switch == "tf32":
        assert {one.problem.dtype.name for one in cases} == {"float32"}


def test_texts_keep_their_fill_and_stand_once() -> None:
    text = "matmul-f32-nt-8x8x8 fill=integer"
    (case,) = cases_of([text, text], Setting("off"))
    assert (case.fill, case.setting) == ("integer", Setting("off"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("matmul-f32-nt-8x8x8 tf32=on", "tf32= is left to the comparison"),
        ("matmul-f32-nt-8x8x8 check=exact", "check= is left to the comparison"),
        ("nothing-f32-nt-8x8x8", "nothing"),
        ("matmul-f32-nt-8x8x8 fill=special", "fill="),
    ],
)
def test_other_texts_are_refused(text: str, said: str) -> None:
    with pytest.raises(pytest.UsageError, match=r"^CASE: ") as refused:
        cases_of([text], Setting())
    assert said in str(refused.value)


def test_sets_are_named_or_refused_by_the_options_name() -> None:
    def named(word: str) -> list[str]:
        values = {"shapes": (word,)}
        config = read_config(
            lambda one: values.get(one.name), Path.cwd(), Path.cwd(), lambda one: one.short
        )
        return [one.name for one in sets_of(config)]

    assert named("llama-2-7b-4bit") == ["llama-2-7b-4bit"]
    with pytest.raises(pytest.UsageError, match=r"^--shapes: 'llama'"):
        named("llama")
