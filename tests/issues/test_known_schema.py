"""The published schema is the one that the types make, and it tells good files from bad."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_applegpu.issues.known import SHIPPED
from pytest_applegpu.issues.schema import schema_text

PUBLISHED = Path(__file__).parents[2] / "docs" / "known-issues.schema.json"
ENTRY: dict[str, Any] = {
    "id": "one",
    "what": "it is wrong",
    "link": "https://example.org/1",
    "verdict": ["over", "crashed"],
    "match": [{"op": "matmul", "sizes": {"k": "== 0"}}],
}


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    published = json.loads(PUBLISHED.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(published)
    return jsonschema.Draft202012Validator(published)


def test_the_published_schema_is_current() -> None:
    made_by = "python -m pytest_applegpu.issues.schema > docs/known-issues.schema.json"
    assert PUBLISHED.read_text("utf-8") == schema_text(), f"write it anew: {made_by}"


def test_good_files_satisfy_it(validator: jsonschema.Draft202012Validator) -> None:
    validator.validate({"issue": [ENTRY]})
    validator.validate(tomllib.loads(SHIPPED.read_text("utf-8")))


@pytest.mark.parametrize(
    "wrong",
    [{"verdict": "within"}, {"match": []}, {"link": 1}, {"more": 1}, {"match": [{"op": 1}]}],
)
def test_bad_files_do_not(
    validator: jsonschema.Draft202012Validator, wrong: dict[str, Any]
) -> None:
    assert not validator.is_valid({"issue": [ENTRY | wrong]})


def test_an_entry_needs_link_or_evidence(validator: jsonschema.Draft202012Validator) -> None:
    without = {name: value for name, value in ENTRY.items() if name != "link"}
    assert not validator.is_valid({"issue": [without]})
    assert validator.is_valid({"issue": [without | {"evidence": "seen"}]})
