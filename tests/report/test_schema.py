"""The published schema is the one the records make, and it tells good lines from bad."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_applegpu.report.log import line
from pytest_applegpu.report.records import Record, as_builtins
from pytest_applegpu.report.schema import schema, schema_text

PUBLISHED = Path(__file__).parents[2] / "docs" / "report-log.schema.json"
DOCUMENTED = PUBLISHED.with_name("report-log.md")


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(published)
    return jsonschema.Draft202012Validator(published)


def test_the_published_copy_is_up_to_date() -> None:
    made_by = "python -m pytest_applegpu.report.schema > docs/report-log.schema.json"
    assert PUBLISHED.read_text(encoding="utf-8") == schema_text(), f"write it anew: {made_by}"


def test_every_field_is_documented() -> None:
    text = DOCUMENTED.read_text(encoding="utf-8")
    parts = schema()["$defs"].values()
    missing = [name for part in parts for name in part["properties"] if f"`{name}`" not in text]
    assert missing == []


def test_sample_lines_satisfy_it(
    validator: jsonschema.Draft202012Validator,
    make_record: Callable[..., Record],
    full_record: Record,
) -> None:
    for record in (
        make_record(),
        full_record,
        make_record(kind="card", verdict="as stored", card={"features": {"products": "exact"}}),
        make_record(verdict="over", error={"share": "inf", "ulp": "nan", "bias": "-inf"}),
    ):
        validator.validate(json.loads(line(record)))


@pytest.mark.parametrize(
    "spoil",
    [
        {"kind": "card"},
        {"verdict": "as stored"},
        {"card": {"features": {}, "times": 1}},
        {"verdict": "fine"},
        {"verdict": "slower"},
        {"kind": "throughput"},
        {"extra": 1},
        {"route": "gemv"},
        {"problem": {"op": "matmul"}},
        {"setting": {"tf32": True}},
        {"error": {"share": "large"}},
        {"baseline": {"verdict": "over"}},
        {"schema": 1},
    ],
)
def test_spoilt_lines_do_not(
    validator: jsonschema.Draft202012Validator,
    make_record: Callable[..., Record],
    spoil: dict[str, Any],
) -> None:
    plain = as_builtins(make_record())
    assert validator.is_valid(plain)
    assert not validator.is_valid(plain | spoil)
