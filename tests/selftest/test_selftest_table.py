"""Each row ends in caught or missed; what is not as it should be is named and counts."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pytest_applegpu.selftest.choice import Reach, chosen_faults
from pytest_applegpu.selftest.faults import FAULTS, GROUPS, NONE
from pytest_applegpu.selftest.red import Red
from pytest_applegpu.selftest.run import Row
from pytest_applegpu.selftest.table import as_json, cells, described, table

RED = Red(
    "matmul-f32-nn-4x4x4 fill=integer tf32=on", "exact", "over", "row 3\nis wrong " + "x" * 99
)
CAUGHT = Row("last_row", "tails", "Leave the last row zero", 3, 2.345, RED)
MISSED = Row("last_term", "tails", "Lose the last element", 4000, 100.0)
GREEN = Row(NONE, NONE, "nothing", 900, 30.0)


def test_rows_end_in_their_word() -> None:
    lines = table([GREEN, CAUGHT, MISSED]).splitlines()
    assert [line.split()[-1] for line in lines[2:5]] == ["green", "caught", "missed"]
    assert lines[-1] == "1 of 2 faults caught in 132 s; missed: last_term"


def test_a_row_names_check_verdict_and_seconds() -> None:
    fault, group, case, check, verdict, said, cases, seconds, word = cells(CAUGHT)
    assert (fault, group, case) == ("last_row", "tails", RED.case)
    assert (check, verdict, cases, seconds, word) == ("exact", "over", "3", "2.3", "caught")
    assert said.startswith("row 3 is wrong xxx")
    assert len(said) == 64


@pytest.mark.parametrize(
    ("row", "word", "good"),
    [
        (CAUGHT, "caught", True),
        (MISSED, "missed", False),
        (GREEN, "green", True),
        (Row(NONE, NONE, "", 3, 1.0, RED), "red", False),
        (Row(NONE, NONE, "", 0, 1.0, trouble="no device"), "red", False),
        (Row("last_row", "tails", "", 0, 1.0, trouble="no device"), "missed", False),
    ],
)
def test_what_is_good(row: Row, word: str, good: bool) -> None:
    assert (row.word, row.good) == (word, good)


def test_why_a_run_was_none_stands_in_its_row() -> None:
    assert "no device" in table([Row("last_row", "tails", "", 0, 1.0, trouble="no device")])


def test_json_holds_the_same() -> None:
    plain = json.loads(json.dumps(as_json([CAUGHT, GREEN])))
    assert plain[0]["result"] == "caught"
    assert plain[0]["red"]["check"] == "exact"
    assert plain[1]["red"] is None


def test_faults_are_chosen_by_name_and_group() -> None:
    chosen = chosen_faults("tiles, last_row")
    assert [fault.name for fault in chosen if fault.group != "tiles"] == ["last_row"]
    assert {fault.group for fault in chosen} == {"tails", "tiles"}
    assert chosen_faults("all") == list(FAULTS.values())
    assert [fault.group for fault in chosen_faults(",".join(GROUPS))] == [
        fault.group for fault in FAULTS.values()
    ]


@pytest.mark.parametrize("text", ["", "tails,nonsense"])
def test_an_unknown_fault_is_named_with_what_there_is(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not all, one of the groups addends, .*last_row"):
        chosen_faults(text)


REACH = Reach(
    dtypes=frozenset({"float32", "complex64"}),
    modes=frozenset({"on"}),
    ops=frozenset({"matmul"}),
    checks=frozenset({("matmul", "exact"), ("matmul", "view")}),
    routed=False,
)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("last_row", None),
        ("float64_as_float32", "no float64 is run"),
        ("tf32_while_off", "nothing is run with TF32 off"),
        ("alpha_ignored", "no addmm is run"),
        ("large_rounded_down", "no case is checked by scaling"),
        ("views_rounded_down", "the routes of this backend are not known, nor which bits are"),
    ],
)
def test_what_no_case_can_meet_is_left_out(name: str, reason: str | None) -> None:
    found = REACH.lacks(FAULTS[name])
    assert found == reason or (reason and found and found.startswith(reason))


def test_what_a_case_can_meet_is_not() -> None:
    reach = replace(
        REACH,
        dtypes=frozenset({"float32", "float64"}),
        modes=frozenset({"off"}),
        ops=frozenset({"matmul", "addmm"}),
        checks=frozenset({("matmul", "scaling"), ("matmul", "view")}),
        routed=True,
    )
    names = ("float64_as_float32", "tf32_while_off", "alpha_ignored", "large_rounded_down")
    assert [reach.lacks(FAULTS[name]) for name in (*names, "views_rounded_down")] == [None] * 5


def test_the_list_says_what_each_breaks() -> None:
    said = described(list(FAULTS.values()))
    assert all(fault.breaks in said for fault in FAULTS.values())
