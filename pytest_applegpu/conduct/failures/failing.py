"""What happens once a numeric case has failed? It is run elsewhere, made smaller, and written down.

One object a run: it knows how many failures there were.
"""

from __future__ import annotations

from typing import Final

from msgspec import structs

from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.failures.blame import blamed
from pytest_applegpu.conduct.failures.bundling import NOT_REPEATABLE, bundled
from pytest_applegpu.conduct.failures.shrink import with_smallest
from pytest_applegpu.conduct.numbers import Numbers
from pytest_applegpu.config import Config
from pytest_applegpu.report.findings import Kind, kind_of
from pytest_applegpu.report.records import ErrorFacts, Record
from pytest_applegpu.words import outcome

NO_PROOF: Final = "no proof"
"""A failure of the data, which no other place would tell more of."""


class Failing:
    """What is done about the failures of one process of a run."""

    def __init__(self, config: Config) -> None:
        """Have no failure yet."""
        self.config = config
        self._left = config.blame
        self._kinds: set[Kind] = set()

    def explained(
        self, case: Case, bench: Bench, found: Numbers, *, first: bool = False
    ) -> Numbers:
        """Return `found` with what more can be found out of a failure; others as they are.

        The `first` failure of each kind is made smaller without being asked for.
        """
        if not _failed(found.verdict):
            return found
        if self._left > 0 and not _fleeting(found):
            self._left -= 1
            error = structs.replace(found.error or ErrorFacts(), blame=blamed(case, bench))
            found = Numbers(found.verdict, error)
        if first and self._is_new(case, found):
            return with_smallest(case, bench, found, most=None)
        return with_smallest(case, bench, found) if self.config.shrink else found

    def _is_new(self, case: Case, found: Numbers) -> bool:
        """Whether no failure of the same kind was there before."""
        kind = kind_of(case.problem.op, case.problem.dtype.name, found.verdict, found.error)
        known = kind in self._kinds
        self._kinds.add(kind)
        return not known

    def bundled(self, case: Case, bench: Bench, record: Record) -> str | None:
        """Write the bundle of a failure, where that is asked for; return what is said of it."""
        if self.config.bundle is None or not _failed(record.verdict):
            return None
        return bundled(case, bench, record, self.config.bundle)


def telling(found: Numbers) -> Numbers:
    """Return `found` of a case that was drawn at random: data that show nothing are no failure.

    Of a planned case they are one, for it was planned to show something.
    """
    if found.verdict != NO_PROOF:
        return found
    said = found.error.message or found.error.cause if found.error else None
    return Numbers(
        "unsupported", ErrorFacts(message=f"drawn data show nothing: {said or NO_PROOF}")
    )


def _fleeting(found: Numbers) -> bool:
    """Whether the fault comes and goes: any place may be right by luck then."""
    cause = found.error.cause if found.error else None
    return cause is not None and cause.startswith(NOT_REPEATABLE)


def _failed(verdict: str) -> bool:
    return outcome(verdict) == "failed" and verdict != NO_PROOF
