"""The JSON schema says the same as the code that reads the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from pytest_applegpu.baselines.records import Baseline
from pytest_applegpu.baselines.schema import schema, text
from pytest_applegpu.baselines.store import read
from pytest_applegpu.baselines.text import encode
from tests.baselines.samples import BASELINE, CASE, baselines

VALIDATOR = Draft202012Validator(schema())
ROOT = Path(__file__).parents[2]


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema())


@given(baselines())
def test_every_file_fits(baseline: Baseline) -> None:
    VALIDATOR.validate(json.loads(encode(baseline)))


@pytest.mark.parametrize("path", sorted((ROOT / "baselines").glob("*.json")), ids=lambda p: p.stem)
def test_the_shipped_files_are_sound_and_fit(path: Path) -> None:
    assert encode(read(path)) == path.read_text(encoding="utf-8")
    VALIDATOR.validate(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("field", "value"),
    [("seconds", -1), ("seconds", "2 ms"), ("runs", 0), ("extra", 1), ("run", "monday")],
)
def test_a_flaw_does_not(field: str, value: object) -> None:
    plain: dict[str, Any] = json.loads(encode(BASELINE))
    plain["cases"][CASE]["speed"][field] = value
    assert not VALIDATOR.is_valid(plain)


def test_the_schema_in_the_docs_is_up_to_date() -> None:
    # When this fails: see the docstring of pytest_applegpu.baselines.schema.
    written = (ROOT / "docs" / "baseline.schema.json").read_text(encoding="utf-8")
    assert written == text()
