"""How is a feature card laid out for reading?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tabulate import tabulate

from pytest_applegpu.report.phrases import escaped

EVERYWHERE: Final = "everywhere"

_UNKNOWN: Final = "unknown"
_NEWS: Final = ("card changed", "card unsteady")
_COMPARED: Final = ("as stored", *_NEWS)
_WIDTHS: Final = (26, 34, 54)
_LONGEST: Final = 1000

Json = Mapping[str, Any]


def card_text(card: Json) -> str:
    """Return a card (its JSON values) as text: a table for each format, and what is not known.

    A row says a feature's answer, and on which routes, under which settings, it was given. Where a
    card of the hardware is stored, what has changed since ends the text.
    """
    columns, under = _distinct(card["columns"])
    head = [
        f"feature card of {card['device']}, MLX {card['mlx']}{under}",
        card["measured"],
        card["routes"],
    ]
    parts = [escaped(line, _LONGEST) for line in head]
    for dtype in dict.fromkeys(column["dtype"] for column in columns):
        some = [column for column in columns if column["dtype"] == dtype]
        parts += ["", dtype, _table(some)]
    reasons = list(_reasons(columns))
    parts += ["", "unknown:", *reasons] if reasons else []
    since = list(_since(card["columns"]))
    return "\n".join([*parts, *(["", *since] if since else [])])


def _distinct(columns: Sequence[Json]) -> tuple[list[Json], str]:
    """Return columns whose settings say what not all have in common, and what all have."""
    settings = [column["setting"].split() for column in columns]
    common = [word for word in (settings or [[]])[0] if all(word in one for one in settings)]
    told: list[Json] = [
        {**column, "setting": " ".join(word for word in words if word not in common)}
        for column, words in zip(columns, settings, strict=True)
    ]
    return told, f", {' '.join(common)}" if common else ""


def _table(columns: Sequence[Json]) -> str:
    names = dict.fromkeys(one["name"] for column in columns for one in column["features"])
    rows = [row for name in names for row in _rows(name, columns)]
    return tabulate(
        [[escaped(cell, _LONGEST) for cell in row] for row in rows],
        headers=("feature", "answer", "where"),
        tablefmt="simple",
        disable_numparse=True,
        maxcolwidths=list(_WIDTHS),
    )


def _rows(name: str, columns: Sequence[Json]) -> Iterator[tuple[str, str, str]]:
    by_word: dict[str, list[Json]] = {}
    for column in columns:
        for one in column["features"]:
            if one["name"] == name:
                by_word.setdefault(one["word"], []).append(column)
    label = name
    for word, some in by_word.items():
        yield label, word, EVERYWHERE if len(some) == len(columns) else _where(some, columns)
        label = ""


def _where(some: Sequence[Json], columns: Sequence[Json]) -> str:
    """Name routes, with their settings where not every setting is meant."""
    every = {column["setting"] for column in columns}
    words = []
    for route in dict.fromkeys(column["route"] for column in some):
        here = [column["setting"] for column in some if column["route"] == route]
        words.append(route if set(here) == every else f"{route} ({', '.join(here)})")
    return ", ".join(words)


def _reasons(columns: Sequence[Json]) -> Iterator[str]:
    seen: dict[tuple[str, str], str] = {}
    for column in columns:
        for one in column["features"]:
            if one["word"] == _UNKNOWN:
                at = f"{column['dtype']} {column['route']} {column['setting']}".rstrip()
                seen.setdefault((one["name"], one["evidence"]), at)
    for (name, evidence), at in seen.items():
        yield "  " + escaped(f"{name}: {evidence} (first seen: {at})", _LONGEST)


def _since(columns: Sequence[Json]) -> Iterator[str]:
    """Yield how the routes compare with their stored cards; nothing where none is stored."""
    compared = [column for column in columns if column["verdict"] in _COMPARED]
    if not compared:
        return
    news = [column for column in compared if column["verdict"] in _NEWS]
    same, whole = len(compared) - len(news), len(columns)
    yield "as stored" if same == whole else f"as stored: {same} of {whole}"
    yield from _news(news)
    causes = dict.fromkeys(cause for column in news for cause in column["likely_causes"])
    if causes:
        yield escaped(f"changed since the card was stored: {'; '.join(causes)}", _LONGEST)
    without = sum(column["verdict"] == "no stored card" for column in columns)
    if without:
        yield f"without a stored card: {without} of {whole}"


def _news(columns: Sequence[Json]) -> Iterator[str]:
    """Yield a line for each way in which cards changed, with all products that show it."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for column in columns:
        way = (column["verdict"], *column["changed"])
        groups.setdefault(way, []).append(f"{column['problem']} {column['setting']}")
    for (word, *changed), asked in groups.items():
        yield escaped(f"{word}: {'; '.join(changed)} ({', '.join(asked)})", _LONGEST)
