"""`--applegpu-report-log`: one JSON object a case."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.conftest import CASE, Suites

SCHEMA = Path(__file__).parents[2] / "docs" / "report-log.schema.json"
FIELDS = {"case", "kind", "problem", "setting", "route", "verdict", "error", "time", "baseline"}


def test_every_line_keeps_to_the_schema(logged: Callable[..., list[dict[str, Any]]]) -> None:
    texts = (
        CASE,
        "matmul-f16-nn-8x8x40 fill=normal tf32=off",
        "matmul-f32-nn-0x8x8 tf32=on",
        "matmul-f32-nn-8x8x8 fill=special tf32=on",
        "matmul-f32-nt-64x64x64 check=throughput tf32=on",
    )
    records = logged(*(word for text in texts for word in ("--applegpu-case", text)))
    schema = json.loads(SCHEMA.read_text())
    assert len(records) == len(texts)
    for record in records:
        jsonschema.validate(record, schema)
        assert set(record) >= FIELDS
        assert record["route"]["path"]
        assert record["route"]["here"] is False
    half = next(record for record in records if record["kind"] == "bounded")
    assert half["problem"]["dtype"] == "float16"
    assert half["setting"]["tf32"] == "off"
    assert records[-1]["time"]["seconds"] > 0
    assert records[-1]["baseline"]["verdict"] == "no baseline"


def test_failures_keep_to_the_schema_too(logged: Callable[..., list[dict[str, Any]]]) -> None:
    (record,) = logged("--applegpu-case", CASE, fault="last_row")
    jsonschema.validate(record, json.loads(SCHEMA.read_text()))
    assert record["verdict"] == "over"
    assert record["error"]["wrong"] == 17


def test_ini_twin(suites: Suites, pytester: pytest.Pytester, ini: Callable[..., None]) -> None:
    ini("applegpu_report_log = here.jsonl")
    suites("--applegpu-case", CASE)
    assert len((pytester.path / "here.jsonl").read_text().splitlines()) == 1


def test_a_foreign_file_is_left_alone(suites: Suites, pytester: pytest.Pytester) -> None:
    path = pytester.path / "thesis.txt"
    path.write_text("years of work")
    result = suites("--applegpu-report-log", "thesis.txt")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-report-log*thesis.txt*"])
    assert path.read_text() == "years of work"


def test_a_missing_folder_is_refused(suites: Suites) -> None:
    result = suites("--applegpu-report-log", "nowhere/log.jsonl")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-report-log*nowhere*does not exist*"])
