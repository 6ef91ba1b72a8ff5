"""What comes of a run: which records, in which log, and what is said and stored of them?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_applegpu.baselines.records import BaselineError
from pytest_applegpu.conduct.coverage import coverage
from pytest_applegpu.conduct.keep import Known, keep
from pytest_applegpu.conduct.listed import Listed
from pytest_applegpu.conduct.roofline import told as roofline_told
from pytest_applegpu.conduct.told import kept_lines
from pytest_applegpu.conduct.versus.run import Versus
from pytest_applegpu.conduct.versus.told import told as versus_told
from pytest_applegpu.config import Config
from pytest_applegpu.report.findings import findings_text
from pytest_applegpu.report.log import ReportLog, ReportLogError
from pytest_applegpu.report.records import Record, from_builtins
from pytest_applegpu.report.rerun import Rerun
from pytest_applegpu.report.terminal import summary_text


class Outcome:
    """The records of one run, from this process and others, and what is made of them."""

    def __init__(self, config: Config, rerun: Rerun, versus: Versus | None) -> None:
        """Open nothing yet."""
        self.config = config
        self.rerun = rerun
        self.versus = versus
        self.records: list[Record] = []
        self.failed = False
        """Whether the run fails although no case of it may have."""
        self._known: Known | None = None
        self._notes: list[str] = []
        self._file: Path | None = config.report_log
        self._log: ReportLog | None = None

    def open_log(self) -> None:
        """Open the report log, if one is asked for and none is open.

        Raises:
            pytest.UsageError: it cannot be written.
        """
        if self._file is not None and self._log is None:
            try:
                kept = self.versus.kept if self.versus else None
                self._log = ReportLog(self._file, kept)
            except ReportLogError as error:
                raise pytest.UsageError(str(error)) from None

    def receive(self, plain: dict[str, Any]) -> None:
        """Take in the record of a case that is over, from this process or another."""
        record = from_builtins(plain)
        self.records.append(record)
        try:
            self.open_log()
            if self._log is not None and not (self.versus and self.versus.is_logged(record)):
                self._log.write(record)
        except (ReportLogError, pytest.UsageError) as error:
            self._notes.append(f"the report log ends here: {error}")
            self._file = None
            self._log = None

    def learn(self, known: Known) -> None:
        """Take in what another process knows of this machine."""
        if self._known is None:
            # In a parallel run no process of its own printed these.
            self._notes += known["lines"]
            self._known = known
            return
        forbidden = [*self._known["forbidden"], *known["forbidden"]]
        if known["key"] != self._known["key"]:
            forbidden.append(f"machines {self._known['key']} and {known['key']} ran together")
        self._known = self._known | {"forbidden": list(dict.fromkeys(forbidden))}

    def judge(self, listed: Listed) -> None:
        """Fail the run for known issues that no case shows any more."""
        gone = listed.gone(self.records)
        self.failed |= bool(gone)
        self._notes += gone

    def store(self, own: Known | None) -> None:
        """Store the baselines; `own` is what this process knows, if no other told."""
        if self.records:
            self._notes += self._keep(self._known or own)

    def _keep(self, known: Known | None) -> list[str]:
        if known is None or known["forbidden"]:
            self.failed = True
            reasons = known["forbidden"] if known else ["the device is not known"]
            return [f"baseline not written: {'; '.join(reasons)}"]
        try:
            kept = keep(self.records, known, self.config.baselines)
        except BaselineError as error:
            self.failed = True
            return [f"baseline not written: {error}"]
        return kept_lines(kept, self.config.baselines / f"{known['key']}.json")

    def summary(self) -> str:
        """Return the summary of what is done so far."""
        # Of cases that were asked for one by one nobody expects every route.
        routes = "" if self.config.is_chosen else coverage(self.records)
        roof = roofline_told(self.records)
        notes = "\n".join(self._notes)
        parts = (routes, versus_told(self.records), roof, self._told(), self._found(), notes)
        return "\n\n".join(part for part in parts if part)

    def _told(self) -> str:
        storing = self.config.update_baselines
        return summary_text(self.records, self.rerun, storing=storing)

    def _found(self) -> str:
        """Return what a search found; that it found nothing is said too."""
        if not (self.config.search and self.records):
            return ""
        other = f"another --applegpu-seed than {self.config.seed} draws others"
        nothing = f"no findings, cases run: {len(self.records)}; {other}"
        return findings_text(self.records, self.rerun) or nothing

    def close(self) -> None:
        """Close the report log."""
        if self._log is not None:
            self._log.close()
