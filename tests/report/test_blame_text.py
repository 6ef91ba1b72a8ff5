"""The line that says who is right, and the one that says where the bundle is."""

from __future__ import annotations

from collections.abc import Callable

from pytest_applegpu.report.failure import LINES, blame_text, failure_text
from pytest_applegpu.report.records import BlameFacts, Record
from pytest_applegpu.report.rerun import Rerun

BLAME = (
    BlameFacts(where="on the CPU backend", verdict="over"),
    BlameFacts(where="with TF32 off", verdict="within"),
    BlameFacts(where="as applegpu_g16s", verdict="crashed", note="SIGABRT"),
    BlameFacts(where="as applegpu_g16g", note="the worker did not start"),
    BlameFacts(where="on a contiguous copy", verdict="creeping"),
)


def test_who_is_right_stands_first() -> None:
    assert blame_text(BLAME, "over") == (
        "right: with TF32 off, on a contiguous copy; "
        "wrong too: on the CPU backend, as applegpu_g16s (crashed); not run: as applegpu_g16g"
    )


def test_only_another_way_to_fail_is_said() -> None:
    said = blame_text(BLAME[:3], "crashed")
    assert said.endswith("wrong too: on the CPU backend (over), as applegpu_g16s")


def test_it_is_a_line_of_the_failure(make_record: Callable[..., Record]) -> None:
    error = {"blame": [{"where": "with TF32 off", "verdict": "exact"}]}
    text = failure_text(make_record(verdict="over", error=error), Rerun())
    assert "right: with TF32 off" in text.splitlines()


def test_a_bundle_stands_before_the_command(full_record: Record) -> None:
    lines = failure_text(full_record, Rerun(), "out/case (repro.py alone: right)").splitlines()
    assert len(lines) == LINES
    assert lines[-2] == "bundle: out/case (repro.py alone: right)"
    assert lines[-1].startswith("rerun: ")
