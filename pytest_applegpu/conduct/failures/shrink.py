"""What is the smallest case that fails as a given one does, and which rules are crossed there?"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from msgspec import structs

from pytest_applegpu.cases.budget import cost
from pytest_applegpu.cases.case import Case
from pytest_applegpu.cases.shrinking.shrink import Shrunk, shrink
from pytest_applegpu.cases.shrinking.tries import Spent
from pytest_applegpu.conduct import numbers
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.failures.crossed import crossed
from pytest_applegpu.conduct.numbers import AGAIN, Numbers
from pytest_applegpu.report.records import ErrorFacts, ShrunkFacts
from pytest_applegpu.words import NUMBERS

MOST: Final = 10
"""Failures of one process that are shrunk."""

SECONDS: Final = 60.0
"""Seconds after which no further case is run; the one that runs has its own limit."""

WORK: Final = 60.0
"""Seconds of computed cost that all cases of a search may add up to."""

CHEAP: Final = 0.05
"""Computed cost in seconds up to which a case may be dearer than the one that failed."""

PATIENCE: Final = 5.0
"""Seconds beyond its computed cost that a case may take where one that hangs is shrunk."""

_FLEETING: Final = "not repeatable"
"""How the cause of a fault begins that comes and goes."""

_UNTOLD: Final = frozenset({"unsupported", "no proof"})
"""Verdicts of cases that say nothing of the fault."""


def shrunk(
    case: Case,
    bench: Bench,
    found: Numbers,
    clock: Callable[[], float] = time.monotonic,
    most: int | None = MOST,
) -> ShrunkFacts | None:
    """Return the smallest case that fails as `found` says of `case`, and where it begins to.

    None where there is nothing to shrink: `case` did not fail, its data could show nothing, or its
    call is one that MLX must refuse, which is as small as can be.
    `clock` gives seconds, `most` is how many failures of a process are shrunk, None for all.
    """
    if case.flaw or NUMBERS[found.verdict] != "failed" or found.verdict in _UNTOLD:
        return None
    if _fleeting(found):
        return _unshrunk(case, "it comes and goes")
    if most is not None and bench.shrunk >= most:
        return _unshrunk(case, f"{most} others were; add --applegpu-shrink to the rerun command")
    bench.shrunk += 1
    least = shrink(case, _Trial(case, _hasty(bench, found), found.verdict, clock))
    if least is None:
        return _unshrunk(case, "it did not fail again")
    return _facts(least, bench)


def with_smallest(case: Case, bench: Bench, found: Numbers, *, most: int | None = MOST) -> Numbers:
    """Return `found` with the smallest case in its error, where there is one."""
    least = shrunk(case, bench, found, most=most)
    if least is None:
        return found
    return replace(found, error=structs.replace(found.error or ErrorFacts(), shrunk=least))


def _unshrunk(case: Case, why: str) -> ShrunkFacts:
    return ShrunkFacts(case=str(case), starts=(why,))


def _facts(least: Shrunk, bench: Bench) -> ShrunkFacts:
    lost = "less was tried round it" if least.minimal else "a smaller case may fail"
    ended = (f"{least.spent}: {lost}",) if least.spent else ()
    return ShrunkFacts(
        case=str(least.case),
        starts=(*least.starts, *ended),
        rules=crossed(least.crossings, bench.routes),
        tried=least.tried,
    )


def _hasty(bench: Bench, found: Numbers) -> Bench:
    """Return a bench that soon gives up a case which hangs, where many are to hang."""
    if found.verdict != "timed out":
        return bench
    patience = min(bench.config.timeout, PATIENCE)
    return replace(bench, config=replace(bench.config, timeout=patience))


def _fleeting(found: Numbers) -> bool:
    cause = found.error.cause if found.error else None
    return (cause or "").startswith(_FLEETING)


@dataclass
class _Trial:
    """Runs cases, while there is time, and tells whether they end as the first one did."""

    case: Case
    bench: Bench
    verdict: str
    clock: Callable[[], float]
    _began: float = field(init=False)
    _work: float = 0.0

    def __post_init__(self) -> None:
        self._began = self.clock()

    def __call__(self, case: Case) -> bool | None:
        """Return None of a case that is too dear, or that says nothing.

        Raises:
            Spent: the time is over.
        """
        work = self._cost(case)
        if work > max(self._cost(self.case), CHEAP):
            return None
        if self.clock() - self._began > SECONDS or (self._work and self._work + work > WORK):
            raise Spent(f"{SECONDS:g} s were spent")
        self._work += work
        found = numbers.conduct(case, self.bench)
        if found.verdict in _UNTOLD:
            return None
        return found.verdict == self.verdict and not _fleeting(found)

    def _cost(self, case: Case) -> float:
        """Return the computed seconds of a case that fails, and so is run again."""
        referenced = case.check != "projection"
        calls = 1 + AGAIN
        return cost(case.problem, self.bench.backend, referenced=referenced, calls=calls)
