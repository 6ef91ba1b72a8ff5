"""Known issues in counts, in the summary, and in what is to be rerun."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_applegpu.report.notices import counts, known_issues, next_steps
from pytest_applegpu.report.records import Record
from pytest_applegpu.report.rerun import Rerun
from pytest_applegpu.report.rows import failed, is_gone, is_known

Make = Callable[..., Record]


def known(state: str, name: str = "one") -> list[dict[str, Any]]:
    return [{"id": name, "state": state, "what": f"{name} is wrong", "source": "seen"}]


@pytest.mark.parametrize(
    ("verdict", "state", "fails"),
    [
        ("over", "happened", False),
        ("over", "other", True),
        ("within", "gone", True),
        ("within", "spared", False),
    ],
)
def test_what_fails(make_record: Make, verdict: str, state: str, *, fails: bool) -> None:
    record = make_record(verdict=verdict, known=known(state))
    assert failed(record) is fails
    assert is_known(record) is (state == "happened")
    assert is_gone(record) is (state == "gone")


def test_one_of_several_that_happened_is_enough(make_record: Make) -> None:
    record = make_record(verdict="over", known=known("other") + known("happened", "two"))
    assert not failed(record)


def test_counts_and_lines(make_record: Make) -> None:
    records = [
        make_record(case="c1", verdict="over", known=known("happened")),
        make_record(case="c2", verdict="over", known=known("happened", "two")),
        make_record(case="c3", verdict="crashed", known=known("happened", "two")),
        make_record(case="c4", known=known("gone")),
        make_record(case="c5", verdict="over"),
    ]
    assert counts(records) == "5 cases: 1 known issue gone, 1 over, 3 known issue"
    assert list(known_issues(records)) == [
        "known issue two (2 cases): two is wrong (seen)",
        "known issue one (1 case): one is wrong (seen)",
    ]
    (rerun,) = next_steps(records, Rerun())
    assert "c4" in rerun
    assert "c5" in rerun
    assert "c1" not in rerun
