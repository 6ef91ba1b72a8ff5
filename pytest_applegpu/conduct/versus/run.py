"""What does a versus run do with each of its cases? What is in its log already is not run again."""

from __future__ import annotations

from pytest_applegpu.baselines.records import Run
from pytest_applegpu.baselines.store import Shelf
from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.cards import card as cards
from pytest_applegpu.conduct.records import Item
from pytest_applegpu.conduct.versus import clock, numbers, records
from pytest_applegpu.conduct.versus.numbers import Both
from pytest_applegpu.conduct.versus.resume import Resumed, read_log
from pytest_applegpu.conduct.versus.sides import Sides, header, start_sides
from pytest_applegpu.config import Config
from pytest_applegpu.report.records import Record


class Versus:
    """Both builds of a run, started when the first case needs them."""

    def __init__(self, config: Config) -> None:
        """Read the log that is gone on with, where there is one; start nothing yet.

        Raises:
            pytest.UsageError: that log cannot be read.
        """
        self.config = config
        self.timed = 0
        """How many timed cases the run has, over which the rate of false alarms is shared out."""
        self.resumed = Resumed()
        if config.resume is not None:
            self.resumed = read_log(config.resume, config.named("resume"))
        self._sides: Sides | None = None

    @property
    def kept(self) -> int | None:
        """Bytes of the report log that stay, where the run goes on writing the one it resumes."""
        same = self.config.resume is not None and self.config.resume == self.config.report_log
        return self.resumed.whole if same else None

    def is_logged(self, record: Record) -> bool:
        """Whether the report log holds a record from before."""
        return self.kept is not None and self.resumed.of(record.nodeid or record.case) is not None

    def begin(self, bench: Bench) -> Sides:
        """Start the other side, once.

        Raises:
            pytest.UsageError: it cannot be started, or the log is of another run.
        """
        if self._sides is None:
            sides = start_sides(self.config, bench, self.timed)
            try:
                self.resumed.check(sides.run, self.config.named("resume"))
            except BaseException:
                sides.close()
                raise
            self._sides = sides
        return self._sides

    def lines(self) -> list[str]:
        """Return which builds are held against each other, and which log is gone on with."""
        told = header(self._sides) if self._sides is not None else []
        if self.config.resume is None:
            return told
        return [*told, *self.resumed.lines(self.config.resume)]

    def numbers(self, case: Case, bench: Bench) -> Both:
        """Run a numeric case on both builds."""
        return numbers.conduct(case, self.begin(bench))

    def with_numbers(self, record: Record, both: Both, bench: Bench) -> Record:
        """Return the record of a numeric case with the other build's numbers."""
        return records.with_numbers(record, self.begin(bench).run, both)

    def clocked(self, item: Item, bench: Bench) -> Record:
        """Time a case on both builds; return its record."""
        sides = self.begin(bench)
        found = clock.conduct(item.case, sides)
        return records.duel_record(item, bench, sides.run, found)

    def with_card(self, record: Record, case: Case, bench: Bench, shelf: Shelf, run: Run) -> Record:
        """Return the record of a feature card with what differs on the other build."""
        sides = self.begin(bench)
        return records.with_card(record, sides.run, cards.conduct(case, sides.other, shelf, run))

    def close(self) -> None:
        """End the other side's workers."""
        if self._sides is not None:
            self._sides.close()
