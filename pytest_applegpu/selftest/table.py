"""How is it told? One row a fault, each of which ends in `caught` or `missed`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from tabulate import tabulate

from pytest_applegpu.selftest.faults import Fault
from pytest_applegpu.selftest.run import Row

HEAD: Final = ("fault", "group", "case", "check", "verdict", "said", "cases", "seconds", "")

_WIDEST: Final = 64
"""Characters of a cell, beyond which it is cut."""


def cells(row: Row) -> tuple[str, ...]:
    """Return the cells of a row, the word of what became of it last."""
    red = row.red
    case, check, verdict = (red.case, red.check, red.verdict) if red else ("", "", "")
    said = row.trouble or (red.said if red else "")
    told = (row.fault, row.group, case, check, verdict, said, str(row.cases))
    return (*map(_cut, told), f"{row.seconds:.1f}", row.word)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 3]}..."


def described(faults: Sequence[Fault]) -> str:
    """Return what each fault breaks."""
    return tabulate(
        [(fault.name, fault.group, fault.breaks) for fault in faults], ("fault", "group", "breaks")
    )


def table(rows: Sequence[Row], form: str = "simple") -> str:
    """Return the table as text, or in another of tabulate's forms, and a line of totals."""
    body = [cells(row) for row in rows]
    drawn = tabulate(body, HEAD, tablefmt=form, disable_numparse=True)
    return f"{drawn}\n\n{totals(rows)}"


def totals(rows: Sequence[Row]) -> str:
    """Return how many faults were caught, which were not, and the seconds of it all."""
    planted = [row for row in rows if row.word in {"caught", "missed"}]
    caught = sum(row.good for row in planted)
    bad = [f"{row.word}: {row.fault}" for row in rows if not row.good]
    spent = sum(row.seconds for row in rows)
    said = f"{caught} of {len(planted)} faults caught in {spent:.0f} s"
    return "; ".join((said, *bad))


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the rows as plain values."""
    return [asdict(row) | {"result": row.word} for row in rows]
