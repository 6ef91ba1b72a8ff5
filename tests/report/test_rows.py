"""Rows of the summary: what a group of records says together."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from pytest_applegpu.report.records import Record
from pytest_applegpu.report.rows import by_operation, by_shape, failed, shape_class


def timed(ratio: float | None = None, verdict: str = "same", **time: Any) -> dict[str, Any]:
    return {
        "kind": "throughput",
        "verdict": verdict,
        "time": {"seconds": 1.0} | time,
        "baseline": {"verdict": verdict, "ratio": ratio},
    }


def sized(m: int, n: int, **more: Any) -> dict[str, Any]:
    return {"problem": {"op": "matmul", "dtype": "float16", "m": m, "n": n, "k": 8} | more}


def test_groups_by_operation_dtype_and_setting(make_record: Callable[..., Record]) -> None:
    records = [
        make_record(setting={"tf32": "on"}),
        make_record(),
        make_record(verdict="over", error={"share": 2.0, "ulp": 3.0}),
        make_record(error={"share": 0.5, "ulp": 9.0}),
        make_record(setting={"tf32": "on", "arch": "applegpu_g16s"}),
    ]
    rows = by_operation(records)
    assert [row.key for row in rows] == [
        ("matmul", "float16", "tf32 off"),
        ("matmul", "float16", "tf32 on"),
        ("matmul", "float16", "tf32 on, g16s"),
    ]
    first = rows[0]
    assert (first.cases, first.failures, first.share, first.ulp) == (3, 1, 2.0, 9.0)
    assert rows[1].share is None


def test_the_order_of_records_does_not_matter(make_record: Callable[..., Record]) -> None:
    records = [make_record(setting={"tf32": tf32}) for tf32 in ("on", "off", "on")]
    assert by_operation(records) == by_operation(records[::-1])


def test_an_error_that_is_no_number_is_the_worst(make_record: Callable[..., Record]) -> None:
    records = [make_record(error={"share": share}) for share in ("nan", 1.0, "inf")]
    share = by_operation(records)[0].share
    assert share is not None
    assert math.isnan(share)


def test_medians_keep_products_and_vectors_apart(make_record: Callable[..., Record]) -> None:
    records = [
        make_record(**sized(8, 8), **timed(1.0, tflops=10.0, gbs=1.0, peak_share=0.5)),
        make_record(**sized(8, 8), **timed(1.1, tflops=20.0, gbs=1.0, peak_share=0.7)),
        make_record(**sized(8, 1), **timed(2.0, "slower", tflops=0.1, gbs=400.0)),
    ]
    row = by_operation(records)[0]
    assert (row.tflops, row.gbs, row.peak_share) == (15.0, 400.0, 0.6)
    assert (row.ratio, row.worst_ratio, row.failures) == (1.1, 2.0, 1)
    assert [(row.key[0], row.cases) for row in by_shape(records)] == [("gemm", 2), ("gemv", 1)]


def test_the_commonest_word_stands_where_no_ratio_does(make_record: Callable[..., Record]) -> None:
    words = ("no baseline", "not comparable", "no baseline")
    row = by_shape([make_record(**timed(None, word)) for word in words])[0]
    assert (row.ratio, row.unrated) == (None, "no baseline")


def test_conformance_cases_have_no_shape_row(make_record: Callable[..., Record]) -> None:
    assert by_shape([make_record()]) == []


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        (sized(8, 8), "gemm"),
        (sized(1, 8), "gemv"),
        (sized(8, 1, batch_a=[2]), "gemv"),
        (sized(8, 8, batch_a=[2], batch_b=[2]), "batched"),
        (sized(8, 8, batch_b=[2]), "batched"),
    ],
)
def test_shape_class(make_record: Callable[..., Record], fields: dict[str, Any], name: str) -> None:
    assert shape_class(make_record(**fields)) == name


def test_a_failing_comparison_fails_the_case(make_record: Callable[..., Record]) -> None:
    assert failed(make_record(verdict="no proof"))
    assert failed(make_record(baseline={"verdict": "slower"}))
    assert not failed(make_record(verdict="creeping", baseline={"verdict": "unstable"}))
