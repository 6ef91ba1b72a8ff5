"""What a failure text says of the smallest case that still fails."""

from __future__ import annotations

from collections.abc import Callable

from pytest_applegpu.report.failure import LINES, failure_text
from pytest_applegpu.report.records import Record
from pytest_applegpu.report.rerun import Rerun

SHRUNK = {
    "case": "matmul-f16-nn-1x1x4097 fill=integer tf32=off",
    "starts": ["fails from K = 4097 on, right at K = 4096", "fails at every size tried of M"],
    "rules": ["dispatch of applegpu_g17s changes from K = 4096 to 4097: split-K"],
    "tried": 133,
}


def lines(make_record: Callable[..., Record], **error: object) -> list[str]:
    record = make_record(verdict="over", error={"cause": "a cause", **error})
    return failure_text(record, Rerun()).splitlines()


def test_the_smallest_case_and_where_it_starts_stand_in_two_lines(
    make_record: Callable[..., Record],
) -> None:
    assert lines(make_record, shrunk=SHRUNK)[1:4] == [
        "cause: a cause",
        "smallest: matmul-f16-nn-1x1x4097 fill=integer tf32=off (133 cases tried)",
        (
            "starts: fails from K = 4097 on, right at K = 4096; fails at every size tried of M; "
            "dispatch of applegpu_g17s changes from K = 4096 to 4097: split-K"
        ),
    ]


def test_what_was_not_shrunk_says_why(make_record: Callable[..., Record]) -> None:
    found = {"case": "matmul-f16-nn-2x2x2", "starts": ["it comes and goes"]}
    assert lines(make_record, shrunk=found)[2] == "not shrunk: it comes and goes"


def test_long_rules_are_cut_and_the_rerun_stays_last(make_record: Callable[..., Record]) -> None:
    text = lines(make_record, shrunk=SHRUNK | {"rules": ["x" * 2000]})
    assert len(text[3]) < 900
    assert len(text) <= LINES
    assert text[-1].startswith("rerun: ")
