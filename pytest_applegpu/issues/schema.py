"""What is the JSON schema of a file of known issues?

`python -m pytest_applegpu.issues.schema > docs/known-issues.schema.json` writes the published copy,
for editors that check TOML by it.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Final

from msgspec.json import schema as schema_of

from pytest_applegpu.issues.issue import VERDICTS
from pytest_applegpu.issues.known import File

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """Return the schema (JSON Schema 2020-12), made from the types that read the file."""
    made = schema_of(File)
    parts = made["$defs"]
    for part in parts.values():
        part["description"] = part["description"].partition("\n")[0]
    one: dict[str, Any] = {"enum": list(VERDICTS)}
    several = {"type": "array", "items": one, "minItems": 1}
    parts["Issue"]["properties"]["verdict"] = {"anyOf": [one, several]}
    parts["Issue"]["properties"]["match"]["minItems"] = 1
    parts["Issue"]["anyOf"] = [{"required": [name]} for name in ("link", "evidence")]
    return {"$schema": _DIALECT, "title": "pytest-applegpu known issues", **made}


def schema_text() -> str:
    """Return the schema as the published file holds it."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())
