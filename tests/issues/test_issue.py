"""What an issue says of a place and a verdict, and what it cannot say."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import ValidationError, convert

from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.issues.issue import VERDICTS, Issue
from pytest_applegpu.issues.subject import Place, Subject
from pytest_applegpu.setting import Setting
from pytest_applegpu.words import outcome

PLAIN: dict[str, Any] = {
    "id": "some-issue",
    "what": "it is wrong",
    "evidence": "seen",
    "verdict": "over",
    "match": [{"op": "matmul"}],
}
(CASE,) = parse_cases("matmul-f32-nt-4x4x4 tf32=off", [Setting()])
SUBJECT = Subject(CASE.problem, CASE.fill, CASE.check, CASE.setting)
CPU = Place("cpu", "0.32.4", "x86_64", "AMD EPYC")


def issue(**said: Any) -> Issue:
    return convert(PLAIN | said, Issue)


def shows(place: Place = CPU, **said: Any) -> bool:
    return issue(**said).shows(SUBJECT, place)


def test_any_of_its_rules_will_do() -> None:
    rules = [{"op": "addmm"}, {"op": "matmul", "sizes": {"m": "== 4"}}]
    assert shows(match=rules)
    assert not shows(match=rules[:1])


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"backend": "cpu"}, True),
        ({"backend": ["metal", "cpu"]}, True),
        ({"backend": "cuda"}, False),
        ({"mlx": ">=0.31.2,<0.33"}, True),
        ({"mlx": "==0.32.*"}, True),
        ({"mlx": "<0.32.4"}, False),
        ({"arch": "x86_64"}, True),
        ({"arch": ["arm*", "X86*"]}, True),
        ({"arch": "applegpu_g1?s"}, False),
        ({"device": "amd *"}, True),
        ({"device": "*intel*"}, False),
    ],
)
def test_a_place_is_matched_in_all_that_is_said(said: dict[str, Any], expected: bool) -> None:
    assert shows(**said) is expected


def test_nightly_builds_are_versions_too() -> None:
    nightly = Place("cpu", "0.33.0.dev20261020+abc", "x86_64", None)
    assert shows(nightly, mlx=">=0.32.4")
    assert not shows(nightly, mlx=">=0.33")


@pytest.mark.parametrize("said", [{"mlx": ">=0"}, {"arch": "*"}, {"device": "*"}])
def test_what_is_not_known_is_not_as_said(said: dict[str, Any]) -> None:
    assert not shows(Place("cpu", None, None, None), **said)
    assert not shows(Place("cpu", "unknown", None, None), **said)


def test_an_emulated_device_shows_an_issue_only_where_it_is_named() -> None:
    emulated = Place("emulated", "0.32.4", "applegpu_g17s", "Apple M5 Max")
    assert not shows(emulated)
    assert shows(emulated, backend="emulated")


def test_a_verdict_and_its_cause_are_expected() -> None:
    assert issue().expects("over", "")
    assert not issue().expects("crashed", "")
    assert issue(verdict=["raised", "crashed"]).expects("crashed", "")
    assert issue(cause="the last row").expects("over", "cause: the last row is not written")
    assert not issue(cause="the last row").expects("over", "the first row")


def test_what_can_be_expected_fails_and_is_no_fault_of_the_data() -> None:
    assert {outcome(word) for word in VERDICTS} == {"failed"}
    numbers = {"over", "misshapen", "raised", "accepted", "crashed", "timed out"}
    assert numbers | {"slower", "NAX expected, SIMD-class speed"} == set(VERDICTS)


@pytest.mark.parametrize(
    ("said", "right"),
    [({}, 1), ({"sometimes": True}, 3), ({"sometimes": True, "enough": 40}, 40)],
)
def test_how_many_right_cases_say_that_it_is_gone(said: dict[str, Any], right: int) -> None:
    assert issue(**said).right == right


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"id": "Some_Issue"}, "id 'Some_Issue' is not words of a-z and 0-9"),
        ({"id": ""}, "id '' is not words"),
        ({"id": "a--b"}, "id 'a--b' is not words"),
        ({"match": []}, "at least one [[issue.match]] is needed"),
        ({"match": {"op": "matmul"}}, "Expected `array`, got `object` - at `$.match`"),
        ({"evidence": None}, "link or evidence is needed"),
        ({"evidence": " "}, "evidence is empty"),
        ({"what": ""}, "what is empty"),
        ({"link": "a\nb"}, "link holds control characters"),
        ({"verdict": "within"}, "verdict 'within' is not one of over, misshapen, "),
        ({"verdict": "no proof"}, "verdict 'no proof' is not one of over"),
        ({"verdict": []}, "verdict is an empty list"),
        ({"backend": "auto"}, "backend 'auto' is not one of metal, cuda, cpu, emulated"),
        ({"arch": []}, "arch is an empty list"),
        ({"mlx": "0.32.4"}, "mlx '0.32.4' is not versions, as in"),
        ({"enough": 5}, "enough is for issues that show only `sometimes`"),
        ({"sometimes": True, "enough": 2}, "enough 2 is not a whole number from 3"),
        ({"always": True}, "unknown field `always`"),
        ({"sometimes": "yes"}, "Expected `bool`, got `str`"),
    ],
)
def test_what_it_cannot_say_is_refused(said: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        issue(**said)
    assert message in str(caught.value)
