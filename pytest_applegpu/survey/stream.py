"""How do many cases, a JSON line each, become their routes?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from pytest_applegpu.routing.lines import filled
from pytest_applegpu.survey.asked import Whom, asked_line
from pytest_applegpu.survey.table import route_lines

Write = Callable[[bytes], object]

_READ: Final = msgspec.json.Decoder(dict[str, Any])
_WRITE: Final = msgspec.json.Encoder()


class WrongLineError(ValueError):
    """A line is no case: its number, and what is wrong."""

    def __init__(self, number: int, error: object) -> None:
        super().__init__(f"line {number}: {error}")


def answer_all(lines: Iterable[bytes], whom: Whom, write: Write, *, as_json: bool) -> None:
    """Write the route of each line; empty lines are passed over.

    Raises:
        WrongLineError: a line is no case. What came before it is written.
    """
    answer = answered if as_json else _told
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            said = answer(_READ.decode(line), whom)
        except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
            raise WrongLineError(number, error) from None
        write(said)


def answered(line: dict[str, Any], whom: Whom) -> bytes:
    """Return a case's line with its launches, as JSON with a line end.

    Raises:
        ValueError: the line is no case; the message names the field.
    """
    asked = asked_line(line, whom)
    return _WRITE.encode(filled(asked.line, asked.route)) + b"\n"


def _told(line: dict[str, Any], whom: Whom) -> bytes:
    asked = asked_line(line, whom)
    return route_lines(asked, asked.route).encode()
