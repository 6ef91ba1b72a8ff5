"""Is this text JSON that can be looked at: each key once, each text printable, only numbers?"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Final

from pytest_applegpu.baselines.records import BaselineError

_LONGEST: Final = 200


def parse(text: str) -> dict[str, Any]:
    """Return the JSON object that `text` is.

    Raises:
        BaselineError: it is no JSON object, or holds NaN or an infinity.
        RecursionError: it is nested too deeply.
    """
    try:
        plain = json.loads(text, object_pairs_hook=_Object, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise BaselineError(f"not valid JSON at {where}: {error.msg}") from None
    except ValueError as error:  # an integer of thousands of digits
        raise BaselineError(f"not valid JSON: {error}") from None
    if not isinstance(plain, dict):
        raise BaselineError("$: expected an object")
    return plain


def check_texts(value: Any, where: str) -> None:
    """Refuse keys that stand twice and texts that could not be printed as they are.

    Raises:
        BaselineError: one is there; the message starts with its path, below `where`.
    """
    if isinstance(value, str) and not value.isprintable():
        raise BaselineError(f"{where}: control characters are not allowed")
    if isinstance(value, list):
        for place, one in enumerate(value):
            check_texts(one, f"{where}[{place}]")
    if isinstance(value, _Object) and value.twice is not None:
        raise BaselineError(f"{where}: the key {shown(value.twice)} stands twice")
    if isinstance(value, dict):
        for name, one in value.items():
            check_texts(name, where)
            check_texts(one, step(where, name))


def step(where: str, name: str) -> str:
    """Return the JSON path of the entry `name` of the object at `where`."""
    return f"{where}.{name}" if name.isidentifier() else f"{where}[{shown(name)}]"


def shown(name: str) -> str:
    """Return a text from a file as it may stand in a message: escaped, and cut when long."""
    return json.dumps(name if len(name) <= _LONGEST else name[:_LONGEST] + "...")


class _Object(dict[str, Any]):
    """A JSON object that remembers a key that stood in it twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        counts = Counter(name for name, _ in pairs)
        self.twice = next((name for name, count in counts.items() if count > 1), None)


def _no_constant(name: str) -> Any:
    raise BaselineError(f"{name} is not a number in JSON")
