"""The first red case of a report log is one that is no known issue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pytest_applegpu.report.records import as_builtins, from_builtins
from pytest_applegpu.selftest.red import read_log


def line(case: str, verdict: str, *states: str) -> str:
    plain: dict[str, Any] = {
        "case": case,
        "kind": "exact",
        "problem": {"op": "matmul", "dtype": "float32", "m": 1, "n": 1, "k": 1},
        "setting": {"tf32": "off"},
        "verdict": verdict,
        "known": [{"id": "one", "state": state} for state in states],
    }
    return json.dumps(as_builtins(from_builtins(plain)))


def test_a_known_issue_is_not_red(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    lines = [line("c1", "over", "happened"), line("c2", "exact"), line("c3", "over", "other")]
    log.write_text("\n".join(lines[:2]))
    assert read_log(log) == (2, None)
    log.write_text("\n".join(lines))
    count, red = read_log(log)
    assert (count, red.case if red else None) == (3, "c3")
