"""What is the JSON schema of a baseline file?

`docs/baseline.schema.json` holds it for editors and validators outside this project. To write it
again: `python -c "from pytest_applegpu.baselines.schema import text; print(text(), end='')"`.
"""

from __future__ import annotations

import json
from typing import Any

from msgspec.json import schema as schema_of

from pytest_applegpu.baselines.records import Baseline


def schema() -> dict[str, Any]:
    """Return the schema (JSON Schema 2020-12), made from the types that read the file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema_of(Baseline)}


def text() -> str:
    """Return the schema as its file holds it."""
    return json.dumps(schema(), indent=2) + "\n"
