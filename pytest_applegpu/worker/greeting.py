"""Is a worker's answer one, and does its first one hold what the parent relies on?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

LONGEST: Final = 200
"""Characters of a foreign answer that are repeated."""

BACKENDS: Final = ("metal", "cuda", "cpu", "emulated")

_TEXTS: Final = ("python", "executable", "machine", "mac_ver", "numpy", "mlx")
_TEXTS_OR_NULL: Final = ("mlx_file", "device_info_error")


class GarbledError(Exception):
    """An answer that is no JSON object; the text says what it is instead."""


def parse(line: bytes) -> dict[str, Any]:
    """Return the JSON object of an answer.

    Raises:
        GarbledError: it is none.
    """
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        raise GarbledError(f"no JSON but {shown(line)}") from None
    if not isinstance(answer, dict):
        raise GarbledError(f"no JSON object but {shown(line)}")
    return answer


def shown(line: bytes) -> str:
    """Return the beginning of an answer, quoted, as one line that can be printed."""
    return repr(line[: 4 * LONGEST].decode(errors="replace")[:LONGEST]) if line else "nothing"


def flaw(hello: Mapping[str, Any], protocol: int) -> str | None:
    """Return why a first answer cannot be worked with, naming the field; None if it can."""
    if "error" in hello:
        return _told(hello["error"])
    if hello.get("protocol") != protocol:
        return f"protocol {hello.get('protocol')!r:.{LONGEST}} is not {protocol}"
    wrong = [
        *(name for name in _TEXTS if not isinstance(hello.get(name), str)),
        *(name for name in _TEXTS_OR_NULL if not isinstance(hello.get(name), str | None)),
        *([] if hello.get("backend") in BACKENDS else ["backend"]),
        *([] if isinstance(hello.get("device_info"), dict) else ["device_info"]),
    ]
    if not wrong:
        return None
    said = shown(json.dumps({name: hello.get(name) for name in wrong}).encode())
    return f"its first answer lacks, or has in another form, {', '.join(wrong)}: {said}"


def _told(error: object) -> str:
    """Return an error that a worker reports, with what could not be printed escaped."""
    if not isinstance(error, str):
        return f"an error that is no text: {shown(json.dumps(error).encode())}"
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in error)
