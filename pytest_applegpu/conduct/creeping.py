"""Has the error of a case grown since it was stored, though it is within its bound?

The stored share may be that of other data, as a baseline does not say of which seed it is. So an
error has grown only where it exceeds, by more than rounding the result explains, several times
the stored one, and only of results that have elements enough for their worst error to be much the
same whatever the data. `benchmarks/false_alarms.py` compares clean cases over seeds by this rule.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from msgspec import structs

from pytest_applegpu.baselines.store import Shelf
from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.numbers import Numbers
from pytest_applegpu.report.records import ErrorFacts

MULTIPLE: Final = 4.0
"""How many times the stored share is more than other data explain: they made up to 3.17."""

FLOOR: Final = 0.0005
"""Share of the bound that a stored one counts as at the least."""

ENOUGH: Final = 64
"""Elements of a result from which its worst error tells of more than of the data."""


def compared(case: Case, found: Numbers, shelf: Shelf) -> Numbers:
    """Call a case `creeping` that is within its bound and was much further within it before."""
    past = shelf.numbers(str(case))
    if past is None or past.part.share is None or found.error is None:
        return found
    error = _with_before(found.error, past.part.share)
    crept = found.verdict == "within" and grown(error, past.part.share)
    return replace(found, verdict="creeping" if crept else found.verdict, error=error)


def grown(error: ErrorFacts, before: float) -> bool:
    """Whether the share of `error` is that much above the one stored `before`."""
    if error.budget is None or error.share is None or (error.total or 0) < ENOUGH:
        return False
    rounding = error.budget.output + error.budget.rest
    return error.share > rounding + MULTIPLE * max(before, FLOOR)


def _with_before(error: ErrorFacts, before: float) -> ErrorFacts:
    if error.budget is None:
        return error
    return structs.replace(error, budget=structs.replace(error.budget, before=before))
