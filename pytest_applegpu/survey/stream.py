"""How do many cases, a JSON line each, become their routes?"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import msgspec

from pytest_applegpu.routing.lines import filled
from pytest_applegpu.survey.asked import Asked, Whom, asked_line
from pytest_applegpu.survey.table import route_lines

Write = Callable[[bytes], object]

_READ: Final = msgspec.json.Decoder(dict[str, Any])
_WRITE: Final = msgspec.json.Encoder()


class WrongLineError(ValueError):
    """A line is no case: its number, and what is wrong."""

    def __init__(self, number: int, error: object) -> None:
        super().__init__(f"line {number}: {error}")


def asked_lines(lines: Iterable[bytes], whom: Whom) -> Iterator[Asked]:
    """Yield the case of each line; empty lines are passed over.

    Raises:
        WrongLineError: a line is no case.
    """
    for number, raw in enumerate(lines, 1):
        line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
        if not line.strip():
            continue
        try:
            asked = asked_line(_READ.decode(line), whom)
            _ = asked.route
        except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
            raise WrongLineError(number, error) from None
        yield asked


def answer_all(lines: Iterable[bytes], whom: Whom, write: Write, *, as_json: bool) -> None:
    """Write the route of each line; empty lines are passed over.

    Raises:
        WrongLineError: a line is no case. What came before it is written.
    """
    answer = _answered if as_json else _told
    for asked in asked_lines(lines, whom):
        write(answer(asked))


def _answered(asked: Asked) -> bytes:
    return _WRITE.encode(filled(asked.line, asked.route)) + b"\n"


def _told(asked: Asked) -> bytes:
    return route_lines(asked, asked.route).encode()
