"""Which public bugs does a case ask for, and was MLX known to have them where it ran?"""

from __future__ import annotations

from msgspec import structs

from pytest_applegpu.cases.case import Case
from pytest_applegpu.cases.regressions.corpus import bugs_of
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.listed import place_of
from pytest_applegpu.report.records import BugFacts, Record


def with_bugs(record: Record, case: Case, bench: Bench) -> Record:
    """Return the record of a case with the bugs of its backend that it asks for.

    A gap that a later release closed is an error of those before.
    """
    place = place_of(case, bench)
    bugs = [bug for bug in bugs_of(case) if bug.concerns(place.backend)]
    if not bugs:
        return record
    found = tuple(
        BugFacts(id=bug.id, source=bug.source, mlx=bug.mlx, affected=bug.affects(place))
        for bug in bugs
    )
    closed = any(bug.gap and bug.affects(place) for bug in bugs)
    verdict = "raised" if closed and record.verdict == "unsupported" else record.verdict
    return structs.replace(record, bugs=found, verdict=verdict)
