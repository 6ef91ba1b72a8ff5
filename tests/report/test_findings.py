"""Failures by kind: what a search found."""

from __future__ import annotations

from msgspec import structs

from pytest_applegpu.report.findings import findings_text, kind_of
from pytest_applegpu.report.records import (
    ErrorFacts,
    KnownFacts,
    ProblemFacts,
    Record,
    SettingFacts,
    ShrunkFacts,
)
from pytest_applegpu.report.rerun import Rerun


def record(case: str, cause: str, dtype: str = "float16", **more: object) -> Record:
    problem = ProblemFacts(op="matmul", dtype=dtype, m=5, n=6, k=len(case))
    error = ErrorFacts(cause=cause)
    made = Record(
        case=case,
        kind="exact",
        problem=problem,
        setting=SettingFacts(tf32="off"),
        verdict="over",
        error=error,
    )
    return structs.replace(made, **more)


def test_numbers_do_not_tell_kinds_apart_and_formats_of_a_class_do_not() -> None:
    row, other = ErrorFacts(cause="row 3 of 7"), ErrorFacts(cause="row 41 of 7.5e+3")
    kind = kind_of("matmul", "float16", "over", row)
    assert kind == kind_of("matmul", "bfloat16", "over", other)
    assert kind.reading == "row # of #"
    assert kind != kind_of("matmul", "float32", "over", row)
    assert kind != kind_of("addmm", "float16", "over", row)
    assert kind_of("matmul", "complex64", "crashed", None).formats == "complex"


def test_each_kind_is_told_with_its_smallest_case_the_commonest_first() -> None:
    small = ErrorFacts(cause="row 1", shrunk=ShrunkFacts(case="matmul-least", tried=9))
    said = findings_text(
        [
            record("matmul-alone", "a column"),
            record("matmul-one", "row 7"),
            record("matmul-two", "row 1", error=small),
        ],
        Rerun(),
    )
    assert said.splitlines() == [
        "3 findings in 2 kinds",
        "1. matmul, half, over (row #): 2 cases",
        "   smallest: matmul-least",
        "   rerun: pytest suites --applegpu-case matmul-least",
        "2. matmul, half, over (a column): 1 case",
        "   smallest: matmul-alone",
        "   rerun: pytest suites --applegpu-case matmul-alone",
    ]


def test_of_what_was_not_shrunk_the_case_of_fewest_terms_is_named() -> None:
    said = findings_text([record("matmul-longer", "x"), record("matmul-long", "x")], Rerun())
    assert "smallest: matmul-long\n" in said


def test_known_issues_and_what_passed_are_no_findings() -> None:
    known = KnownFacts(id="it", state="happened")
    gone = KnownFacts(id="it", state="gone")
    records = [
        record("matmul-a", "x", known=(known,)),
        record("matmul-b", "x", verdict="exact", known=(gone,)),
        record("matmul-c", "x", verdict="exact"),
    ]
    assert findings_text(records, Rerun()) == ""


def test_of_many_kinds_the_rest_are_counted() -> None:
    said = findings_text([record(f"matmul-{'x' * n}", "y" * n) for n in range(1, 24)], Rerun())
    assert said.startswith("23 findings in 23 kinds\n")
    assert said.endswith("and 3 kinds more, in the report log")
