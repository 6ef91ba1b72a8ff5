"""`--applegpu-case`: exactly the case that a text says, planned or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import CASE, Suites

Logged = Callable[..., list[dict[str, Any]]]


def test_one_case_runs_alone_although_it_is_not_planned(logged: Logged) -> None:
    text = "matmul-bf16-tn-37x41x43-b2x1:1x3 a=pad:5 via=operator fill=normal tf32=off"
    (record,) = logged("--applegpu-case", text)
    assert record["case"] == text
    assert record["kind"] == "bounded"
    assert record["problem"]["batch_b"] == [1, 3]


def test_it_may_be_repeated_and_each_check_finds_its_test(
    logged: Logged, ini: Callable[..., None]
) -> None:
    texts = [
        "matmul-f32-nn-8x8x8 fill=integer tf32=on",
        "matmul-f32-nn-8x8x8 fill=normal tf32=on",
        "matmul-f32-nn-8x8x8 fill=integer check=projection tf32=on",
        "matmul-f32-nn-8x8x8 fill=special tf32=on",
        "matmul-f32-nn-8x8x8 fill=normal check=repeat tf32=on",
        "matmul-f32-nn-8x8x8 fill=normal check=throughput tf32=on",
    ]
    ini("applegpu_case =", *(f"    {text}" for text in texts))
    records = logged()
    assert [record["case"] for record in records] == texts
    kinds = ["exact", "bounded", "projection", "isolation", "repeat", "throughput"]
    assert [record["kind"] for record in records] == kinds


def test_without_a_setting_it_runs_under_each(logged: Logged) -> None:
    records = logged("--applegpu-case", "matmul-f32-nn-8x8x8")
    assert [record["setting"]["tf32"] for record in records] == ["on", "off"]


def test_the_same_case_twice_is_one(suites: Suites) -> None:
    suites("--applegpu-case", CASE, "--applegpu-case", CASE).assert_outcomes(passed=1)


def test_bad_text_is_refused_before_anything_is_collected(suites: Suites) -> None:
    result = suites("--applegpu-case", "matmul-f32-nn-8x8x8 fill=gold")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-case: *fill=gold is not one of integer,*"])


def test_ids_are_the_texts(suites: Suites) -> None:
    result = suites("--collect-only", "-q", "--applegpu-case", CASE)
    result.stdout.fnmatch_lines([f"*test_matmul_exact?{CASE}?"])
