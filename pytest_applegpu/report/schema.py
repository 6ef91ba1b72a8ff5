"""What may stand in the report log? Its JSON Schema, made from the records themselves.

`python -m pytest_applegpu.report.schema > docs/report-log.schema.json` writes the published copy.
"""

from __future__ import annotations

import sys
from typing import Any, Final

import msgspec

from pytest_applegpu.report.records import WORDS, Record
from pytest_applegpu.words import CARD, NUMBERS, SPEED

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

NUMBER: Final = {"anyOf": [{"type": "number"}, {"enum": ["inf", "-inf", "nan"]}]}
"""A number, or the text of one that JSON has no number for."""


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that each line of a report log satisfies."""
    made = _widen(msgspec.json.schema(Record))
    parts = made["$defs"]
    for part in parts.values():
        _complete(part)
    parts["Record"]["properties"]["verdict"] = {"enum": sorted({*NUMBERS, *SPEED, *CARD})}
    parts["Record"].update(_words_by_kind())
    parts["BaselineFacts"]["properties"]["verdict"] = {"enum": sorted(SPEED)}
    return {"$schema": DIALECT, "title": "pytest-applegpu report log, one line", **made}


def schema_text() -> str:
    """Return the schema as the published file holds it."""
    return msgspec.json.format(msgspec.json.encode(schema()), indent=2).decode() + "\n"


def _complete(part: dict[str, Any]) -> None:
    """Every line holds every field; only the first sentence on a part is for readers of logs."""
    part["required"] = list(part["properties"])
    part["description"] = part["description"].partition("\n")[0]


def _words_by_kind() -> dict[str, Any]:
    def verdicts(words: dict[str, Any]) -> dict[str, Any]:
        return {"properties": {"verdict": {"enum": sorted(words)}}}

    found = verdicts(NUMBERS)
    for kind, words in WORDS.items():
        is_kind = {"properties": {"kind": {"const": kind}}}
        found = {"if": is_kind, "then": verdicts(words), "else": found}
    return found


def _widen(node: Any) -> Any:
    """Let every number be non-finite, as `as_builtins` writes it."""
    if node == {"type": "number"}:
        return NUMBER
    if isinstance(node, dict):
        return {name: _widen(item) for name, item in node.items()}
    if isinstance(node, list):
        return [_widen(item) for item in node]
    return node


if __name__ == "__main__":
    sys.stdout.write(schema_text())
