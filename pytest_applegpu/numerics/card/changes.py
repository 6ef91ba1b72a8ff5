"""What has changed between two cards of the same hardware?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

_SAME: Final = ("schema", "backend", "device")

Json = Mapping[str, Any]


def changed(old: Json, new: Json) -> list[str]:
    """Return a line for each answer that is another one, has come or has gone.

    Args:
        old: a card as JSON values.
        new: a later one of the same device.

    Raises:
        ValueError: the cards are of different devices, backends or forms; the message names which.
    """
    for name in _SAME:
        if old[name] != new[name]:
            raise ValueError(f"cards of different {name}: {old[name]} and {new[name]}")
    before, now = (_by_problem(card) for card in (old, new))
    lines: list[str] = []
    for key in before | now:
        lines += _column(key, before.get(key), now.get(key))
    return lines


def _by_problem(card: Json) -> dict[str, Json]:
    return {f"{one['problem']} {one['setting']}": one for one in card["columns"]}


def _column(key: str, old: Json | None, new: Json | None) -> Iterator[str]:
    if old is None or new is None:
        yield f"{key}: {'new on the card' if old is None else 'no longer on the card'}"
        return
    if old["route"] != new["route"]:
        yield f"{key}: route was {old['route']}, is {new['route']}"
    before, now = (_words(column) for column in (old, new))
    for name in before | now:
        was, word = before.get(name, "not asked"), now.get(name, "not asked")
        if was != word:
            yield f"{key}: {name} was {was}, is {word}"


def _words(column: Json) -> dict[str, str]:
    return {one["name"]: one["word"] for one in column["features"]}
