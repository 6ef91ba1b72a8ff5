"""How are the facts about a device laid out for reading?"""

from __future__ import annotations

from collections.abc import Iterable

from tabulate import tabulate

from pytest_applegpu.report.phrases import escaped

WIDTHS = (22, 46, 26)
"""Widest label, text and source, in characters; longer ones are broken over lines."""


def device_table(rows: Iterable[tuple[str, str, str]]) -> str:
    """Lay out (label, text, source) rows; the source says how each fact is known."""
    cells = [[escaped(cell, 1000) for cell in row] for row in rows]
    return tabulate(
        cells,
        headers=("fact", "value", "known from"),
        tablefmt="simple",
        disable_numparse=True,
        maxcolwidths=list(WIDTHS),
    )
