"""What does a run's report log say: which case was the first to be red, and why?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from pytest_applegpu.report.records import ErrorFacts, Record, from_builtins
from pytest_applegpu.report.rows import is_known
from pytest_applegpu.words import outcome


@dataclass(frozen=True, slots=True)
class Red:
    """A case that failed: its text, the check that it failed, the verdict and what was said."""

    case: str
    check: str
    verdict: str
    said: str


def read_log(path: Path) -> tuple[int, Red | None]:
    """Return how many cases a run had, and the first red one that is no known issue."""
    if not path.exists():
        return 0, None
    lines = path.read_text("utf-8").splitlines()
    records = [from_builtins(json.loads(line)) for line in lines]
    failed = (
        record for record in records if outcome(record.verdict) == "failed" and not is_known(record)
    )
    return len(records), next(map(_red, failed), None)


def _red(record: Record) -> Red:
    return Red(record.case, record.kind, record.verdict, _said(record.error or ErrorFacts()))


def _said(error: ErrorFacts) -> str:
    """Return the cause if it is named, else what the system said, else where the errors lie."""
    return error.cause or error.message or error.pattern or ""
