"""What a failure and a summary say of public bugs: which one it is, and whether it is back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_applegpu.report.failure import failure_text
from pytest_applegpu.report.notices import bugs
from pytest_applegpu.report.records import Record
from pytest_applegpu.report.rerun import Rerun

Make = Callable[..., Record]

LINK = "https://github.com/ml-explore/mlx/pull/2715"


def bug(**said: Any) -> dict[str, Any]:
    return {"id": "mlx-2715-beta", "source": LINK, "mlx": "<0.29.4", "affected": True} | said


def test_a_failure_names_the_bug_of_a_version_that_has_it(make_record: Make) -> None:
    record = make_record(verdict="over", bugs=[bug()])
    assert f"bug mlx-2715-beta, in MLX <0.29.4: {LINK}" in failure_text(record, Rerun())


def test_a_failure_of_another_version_is_a_regression(make_record: Make) -> None:
    record = make_record(verdict="over", bugs=[bug(affected=False)])
    line = f"regression of mlx-2715-beta, in MLX <0.29.4: {LINK}"
    assert line in failure_text(record, Rerun()).splitlines()


def test_where_no_release_had_it_that_is_said(make_record: Make) -> None:
    record = make_record(verdict="over", bugs=[bug(affected=False, mlx="none")])
    text = failure_text(record, Rerun())
    assert f"regression of mlx-2715-beta, in no release of MLX: {LINK}" in text


def test_the_summary_counts_failed_cases_by_bug(make_record: Make) -> None:
    other = bug(id="mlx-9-other", affected=False, mlx="")
    records = [
        make_record(case="c1", verdict="over", bugs=[bug()]),
        make_record(case="c2", verdict="crashed", bugs=[bug(), other]),
        make_record(case="c3", bugs=[bug()]),
    ]
    assert list(bugs(records)) == [
        f"regression of mlx-9-other, in all MLX: {LINK} (1 case)",
        f"bug mlx-2715-beta, in MLX <0.29.4: {LINK} (2 cases)",
    ]


def test_what_is_known_is_not_said_twice(make_record: Make) -> None:
    known = [{"id": "one", "state": "happened", "what": "wrong", "source": "seen"}]
    assert list(bugs([make_record(verdict="over", bugs=[bug()], known=known)])) == []
