"""Every recorded output is listed with its source."""

from __future__ import annotations

import csv
from pathlib import Path

OUTPUTS = Path(__file__).parent / "mac-outputs"


def test_every_file_is_listed_and_every_row_has_its_file() -> None:
    with (OUTPUTS / "SOURCES.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    listed = {row["file"] for row in rows}
    assert listed == {path.name for path in OUTPUTS.iterdir()} - {"SOURCES.csv"}
    assert all(row["genuine"] in {"genuine", "excerpt", "shaped"} for row in rows)
    assert all(row["source"] for row in rows)
