"""What does the summary at the end of a run say? Text from records; no input or output here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from tabulate import tabulate

from pytest_applegpu.report.notices import (
    bugs,
    counts,
    known_issues,
    likely_causes,
    next_steps,
    warnings,
)
from pytest_applegpu.report.phrases import change, escaped, number
from pytest_applegpu.report.records import Record
from pytest_applegpu.report.rerun import Rerun
from pytest_applegpu.report.rows import Row, by_operation, by_shape

WIDTH: Final = 100
"""Columns that the tables keep to."""

NAMES: Final = 3
"""Columns that name a row; figures follow them."""

Column = tuple[str, Callable[[Row], str]]
"""A heading, and what stands below it."""


def _optional(value: float | None) -> str:
    return "" if value is None else number(value)


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.3g} %"


def _change(row: Row) -> str:
    return row.unrated if row.ratio is None else change(row.ratio)


_FIGURES: Final[tuple[Column, ...]] = (
    ("cases", lambda row: str(row.cases)),
    ("failed", lambda row: str(row.failures)),
    ("of bound", lambda row: _optional(row.share)),
    ("ULP", lambda row: _optional(row.ulp)),
    ("TFLOP/s", lambda row: _optional(row.tflops)),
    ("GB/s", lambda row: _optional(row.gbs)),
    ("of peak", lambda row: _percent(row.peak_share)),
    ("change", _change),
)

_SPEEDS: Final[tuple[Column, ...]] = (
    ("cases", lambda row: str(row.cases)),
    ("TFLOP/s", lambda row: _optional(row.tflops)),
    ("GB/s", lambda row: _optional(row.gbs)),
    ("of peak", lambda row: _percent(row.peak_share)),
    ("spread", lambda row: _percent(row.spread)),
    ("change", _change),
    ("slowest", lambda row: "" if row.worst_ratio is None else change(row.worst_ratio)),
)


def summary_text(records: Sequence[Record], rerun: Rerun, *, storing: bool = False) -> str:
    """Return the summary of a run, empty where there are no records.

    Worst share of bound and worst ULP, median throughput and share of peak, and the change of
    throughput against the baseline, by operation, dtype and setting; then what was timed by
    shape class, the counts of verdicts, the warnings and the next commands; a run that is itself
    `storing` what it measures is not told how to.
    """
    if not records:
        return ""
    tables = [_table(("operation", "dtype", "setting"), by_operation(records), _FIGURES)]
    shapes = by_shape(records)
    if shapes:
        tables.append(_table(("shapes", "dtype", "setting"), shapes, _SPEEDS))
    return "\n\n".join([*tables, "\n".join(_lines(records, rerun, storing=storing))])


def _lines(records: Sequence[Record], rerun: Rerun, *, storing: bool) -> Iterator[str]:
    yield counts(records)
    yield from known_issues(records)
    yield from bugs(records)
    yield from warnings(records)
    yield from likely_causes(records)
    yield from next_steps(records, rerun, storing=storing)


def _table(names: tuple[str, ...], rows: Sequence[Row], columns: Sequence[Column]) -> str:
    """Lay rows out, leaving out the columns that nothing stands in."""
    filled = [column for column in columns if any(column[1](row) for row in rows)]
    headings = [*names, *(heading for heading, _ in filled)]
    cells = [[*map(escaped, row.key), *(text(row) for _, text in filled)] for row in rows]
    widths = _fitting([max(map(len, column)) for column in zip(headings, *cells, strict=True)])
    # Headings go in as a row of their own: tabulate pads real headers too wide for a terminal.
    return tabulate(
        [headings, ["-" * width for width in widths], *cells],
        tablefmt="plain",
        disable_numparse=True,
        colalign=["left"] * NAMES + ["right"] * len(filled),
        maxcolwidths=widths,
    )


def _fitting(widths: list[int]) -> list[int]:
    """Narrow the naming columns, the widest first, until the table keeps to `WIDTH`."""
    names, figures = widths[:NAMES], widths[NAMES:]
    room = max(NAMES, WIDTH - sum(figures) - 2 * (len(widths) - 1))
    while sum(names) > room:
        names[names.index(max(names))] -= 1
    return [*names, *figures]
