"""In which order do things happen? The conductor; every answer comes from another room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import pytest
from msgspec import structs

from pytest_applegpu.baselines.store import Shelf
from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct import creeping, numbers, speed
from pytest_applegpu.conduct.awake import Awake
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.bugs import with_bugs
from pytest_applegpu.conduct.cards import card as cards
from pytest_applegpu.conduct.concluding import conclude
from pytest_applegpu.conduct.failures.failing import Failing, telling
from pytest_applegpu.conduct.items import arranged, case_of, is_searched
from pytest_applegpu.conduct.keep import Known, known_of, run_of
from pytest_applegpu.conduct.listed import Listed
from pytest_applegpu.conduct.outcome import Outcome
from pytest_applegpu.conduct.planning import Plan
from pytest_applegpu.conduct.records import Item, card_record, numbers_record, speed_record
from pytest_applegpu.conduct.replay import replay
from pytest_applegpu.conduct.shelf import shelf_of
from pytest_applegpu.conduct.start import refuse_forced, start
from pytest_applegpu.conduct.told import Description, described, header
from pytest_applegpu.conduct.versus.run import Versus
from pytest_applegpu.config import Config, Lookup, Source, read_config
from pytest_applegpu.report.error_map import sections
from pytest_applegpu.report.records import Record, as_builtins
from pytest_applegpu.report.rerun import SHIPPED, Rerun
from pytest_applegpu.report.rows import is_known
from pytest_applegpu.setting import Side

_RECORD: pytest.StashKey[Record] = pytest.StashKey()


class Session:
    """One run: made when the first suite is met, closed when pytest is done."""

    def __init__(self, config: Config, rerun: Rerun) -> None:
        """Start nothing yet."""
        self.config = config
        self.rerun = rerun
        self.used = False
        self.timed = 0
        """How many cases the run times, over which its rate of false alarms is shared out."""
        self.plan = Plan(config)
        self.failing = Failing(config)
        self.listed = Listed.of(config)
        self.versus = Versus(config) if config.versus else None
        self.outcome = Outcome(config, rerun, self.versus)
        self._bench: Bench | None = None
        self._awake = Awake()

    @classmethod
    def of(cls, config: pytest.Config, lookup: Lookup, source: Source) -> Self:
        """Read the options of a pytest run.

        Raises:
            pytest.UsageError: an option's value is not allowed.
        """
        ours = read_config(lookup, config.rootpath, config.invocation_params.dir, source)
        if config.getoption("runxfail", default=False):
            ours = replace(ours, known_issues="none")
        session = cls(ours, Rerun(_suites(config), ours.rerun, ours.choice))
        session.plan.check()
        return session

    # What is to be run.

    def planned(self, op: str, check: str | Sequence[str] | None = None) -> list[Case]:
        """Return the cases of `op` for tests that make `check`, several, or any of numbers.

        Raises:
            pytest.UsageError: there is no such check.
        """
        return self.plan.planned(op, check)

    def corpus(self) -> list[tuple[str, Case]]:
        """Return the cases of public bugs, each with a name that begins with the bug's."""
        return [(f"{bug.id} {case}", case) for bug, case in self.plan.corpus()]

    def searched(self) -> list[Case]:
        """Return the cases of a search, none where none is asked for."""
        return self.plan.searched()

    def arranged(self, items: list[pytest.Item]) -> list[pytest.Item]:
        """Leave out tests without a case, and mark the timed ones for pytest-benchmark."""
        return arranged(items)

    # The run itself.

    @property
    def bench(self) -> Bench:
        """Return the workers, started if need be.

        Raises:
            pytest.UsageError: MLX or its backend cannot be used; the message says what to do.
        """
        if self._bench is None:
            side: Side | None = "this" if self.versus else None
            self._bench = start(self.config, self.plan, side=side)
            self._awake.begin()
        return self._bench

    def describe(self) -> Description:
        """Return what is known of the device, with the arithmetic measured under each setting.

        Raises:
            pytest.UsageError: MLX or its backend cannot be used.
        """
        self._bench = start(self.config, self.plan, lenient=True)
        return described(self._bench, self.config.settings)

    def begin(self, items: list[pytest.Item], *, parallel: bool) -> None:
        """Start the first worker, so that a run that cannot succeed ends before it begins.

        Raises:
            pytest.UsageError: MLX, its backend, a baseline or the report log cannot be used.
        """
        cases = [case for case in map(case_of, items) if case is not None]
        self.used = bool(cases)
        self.timed = sum(case.check == "throughput" for case in cases)
        if self.versus:
            self.versus.timed = self.timed
        if not cases or parallel:
            # A process of a parallel run has no way to end the whole run: its cases say why.
            return
        if self.versus:
            # Before the log is opened: one of another run is refused, and left as it is.
            self.versus.begin(self.bench)
        self.outcome.open_log()
        refuse_forced(self.bench, cases)
        _ = self.shelf

    @cached_property
    def shelf(self) -> Shelf:
        """Return what was measured before on this hardware.

        Raises:
            pytest.UsageError: a baseline file is damaged.
        """
        return shelf_of(self.bench)

    def header(self) -> list[str]:
        """Return what is tested, as lines, once workers run."""
        if self._bench is None:
            return []
        lines = header(self._bench, self.config.settings)
        return [*lines, *(self.versus.lines() if self.versus else ())]

    def prover(self, item: pytest.Item) -> Callable[[Case], None]:
        """Return the function that conducts a numeric case for `item`."""

        def prove(case: Case) -> None:
            __tracebackhide__ = True
            self._ready()
            if self._resumed(item):
                return
            both = self.versus.numbers(case, self.bench) if self.versus else None
            found = both.this if both else numbers.conduct(case, self.bench)
            if is_searched(item):
                found = telling(found)
            found = creeping.compared(case, found, self.shelf)
            record = numbers_record(self._item(case, item), self.bench, found)
            record = self.listed.marked(record, case, self.bench)
            record = with_bugs(record, case, self.bench)
            if self.versus and both:
                record = self.versus.with_numbers(record, both, self.bench)
            bundle = None
            if not is_known(record):
                more = self.failing.explained(case, self.bench, found, first=is_searched(item))
                record = structs.replace(record, error=more.error)
                bundle = self.failing.bundled(case, self.bench, record)
            self._conclude(item, record, bundle)

        return prove

    def timer(self, item: pytest.Item, benchmark: Any) -> Callable[[Case], None]:
        """Return the function that times a case for `item`, and replays it into `benchmark`."""

        def clock(case: Case) -> None:
            __tracebackhide__ = True
            self._ready()
            if self._resumed(item, benchmark):
                return
            record = self._clocked(self._item(case, item))
            if benchmark is not None:
                replay(benchmark, record)
            self._conclude(item, self.listed.marked(record, case, self.bench))

        return clock

    def carder(self, item: pytest.Item) -> Callable[[Case], None]:
        """Return the function that asks a route for its feature card for `item`."""

        def card(case: Case) -> None:
            __tracebackhide__ = True
            self._ready()
            if self._resumed(item):
                return
            run = run_of(self.bench, case.setting)
            found = cards.conduct(case, self.bench, self.shelf, run)
            record = card_record(self._item(case, item), self.bench, found)
            if self.versus:
                record = self.versus.with_card(record, case, self.bench, self.shelf, run)
            self._conclude(item, self.listed.marked(record, case, self.bench))

        return card

    def _clocked(self, item: Item) -> Record:
        """Time a case against the other build, or else against what is stored."""
        if self.versus:
            return self.versus.clocked(item, self.bench)
        run = run_of(self.bench, item.case.setting)
        timed = max(1, self.timed)
        found = speed.conduct(item.case, self.bench, self.shelf, run, timed=timed)
        return speed_record(item, self.bench, found)

    def _resumed(self, item: pytest.Item, benchmark: Any = None) -> bool:
        """End a test as the log that is gone on with says; tell whether it is there."""
        __tracebackhide__ = True
        record = self.versus.resumed.of(item.nodeid) if self.versus else None
        if record is None:
            return False
        if benchmark is not None:
            replay(benchmark, record)
        self._conclude(item, record)
        return True

    def _item(self, case: Case, item: pytest.Item) -> Item:
        return Item(case, item.nodeid, self.bench.routes.facts(case, self.shelf))

    def _ready(self) -> None:
        """Start what a case needs; a failure is the case's, in words, not in a traceback."""
        __tracebackhide__ = True
        try:
            _ = self.shelf
            if self.versus:
                self.versus.begin(self.bench)
        except pytest.UsageError as error:
            pytest.fail(str(error), pytrace=False)

    def _conclude(self, item: pytest.Item, record: Record, bundle: str | None = None) -> None:
        __tracebackhide__ = True
        item.stash[_RECORD] = record
        conclude(record, self.listed, self.rerun, bundle)

    # What comes of it.

    def taken(self, item: pytest.Item) -> dict[str, Any] | None:
        """Return the record of a test that was just run, as it travels on its report."""
        record = item.stash.get(_RECORD, None)
        return None if record is None else as_builtins(record)

    def sections(self, item: pytest.Item) -> list[tuple[str, str]]:
        """Return what the report of a test that was just run shows beside the failure text."""
        record = item.stash.get(_RECORD, None)
        return [] if record is None else sections(record)

    def receive(self, plain: dict[str, Any]) -> None:
        """Take in the record of a case that is over, from this process or another."""
        self.outcome.receive(plain)

    def known(self) -> Known | None:
        """Return what this process knows of its machine, if it ran anything."""
        if self._bench is None:
            return None
        return known_of(self._bench, self.config.settings) | {"lines": self.header()}

    def learn(self, known: Known) -> None:
        """Take in what another process knows of this machine."""
        self.outcome.learn(known)

    def finish(self, *, whole: bool = True) -> None:
        """Judge the known issues of a `whole` run; store the baselines, if that was asked for."""
        # Of cases that were asked for one by one nobody expects an issue that comes and goes.
        if whole and not self.config.is_chosen:
            self.outcome.judge(self.listed)
        if self.config.update_baselines:
            self.outcome.store(self.known())

    @property
    def failed(self) -> bool:
        """Whether the run fails although no case of it may have."""
        return self.outcome.failed

    def summary(self) -> str:
        """Return the summary of what is done so far."""
        return self.outcome.summary()

    def close(self) -> None:
        """End every worker and close the log."""
        self._awake.end()
        if self._bench is not None:
            self._bench.pool.close()
        if self.versus:
            self.versus.close()
        self.outcome.close()


def _suites(config: pytest.Config) -> tuple[str, ...]:
    """Return the words that name the suites as this run named them."""
    if config.option.pyargs:
        return SHIPPED
    here = Path(config.invocation_params.dir)
    return ("suites",) if (here / "suites" / "conformance").is_dir() else SHIPPED
