"""Is what a case ended in a known issue, and did each known issue happen that was to?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, Self

import pytest
from msgspec import structs

from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.config import Config
from pytest_applegpu.issues.entries import EntryFileError
from pytest_applegpu.issues.issue import Issue
from pytest_applegpu.issues.known import SHIPPED, read_issues
from pytest_applegpu.issues.subject import Place, Subject
from pytest_applegpu.report.phrases import escaped
from pytest_applegpu.report.records import ErrorFacts, KnownFacts, Record
from pytest_applegpu.report.rerun import Rerun
from pytest_applegpu.words import outcome

_LONGEST = 1000


class Listed:
    """The known issues of a run."""

    def __init__(self, issues: Sequence[Issue], file: Path) -> None:
        """Know `issues`, which stand in `file`."""
        self.issues = tuple(issues)
        self.file = file

    @classmethod
    def of(cls, config: Config) -> Self:
        """Read the known issues that were asked for.

        Raises:
            pytest.UsageError: the file cannot be read; the message names entry and field.
        """
        asked = config.known_issues
        if asked == "none":
            return cls((), SHIPPED)
        file = asked if isinstance(asked, Path) else SHIPPED
        try:
            return cls(read_issues(file), file)
        except EntryFileError as error:
            said = escaped(str(error), _LONGEST)
            raise pytest.UsageError(f"{config.named('known-issues')}: {said}") from None

    def marked(self, record: Record, case: Case, bench: Bench) -> Record:
        """Return the record of a case with what it says of the issues that it is to show."""
        if not self.issues:
            return record
        subject = Subject(case.problem, case.fill, case.check, case.setting, case.flaw)
        place = place_of(case, bench)
        shown = (one for one in self.issues if one.shows(subject, place))
        return structs.replace(record, known=tuple(_facts(one, record) for one in shown))

    def gone(self, records: Iterable[Record]) -> list[str]:
        """Return a line for each issue that comes and goes and did not come in a whole run.

        It happened in no case then, and enough of those that may show it came out right.
        """
        found = Counter((one.id, one.state) for record in records for one in record.known)
        return [
            f"{self.farewell(one.id)}: {found[one.id, 'spared']} cases that may show it are right"
            for one in self.issues
            if not found[one.id, "happened"] and found[one.id, "spared"] >= one.right
        ]

    def told(self, record: Record, rerun: Rerun) -> str:
        """Return what is said of a case that passed, though it was to show an issue."""
        gone = [one.id for one in record.known if one.state == "gone"]
        lines = [f"{escaped(record.case)}: {record.verdict}", *map(self.farewell, gone)]
        return "\n".join([*lines, f"rerun: {rerun.command(record.case)}"])

    def farewell(self, name: str) -> str:
        """Say that an issue did not happen, and what to do about it."""
        return (
            f"known issue {name} did not happen: remove this entry ({self.file}, entry {name}), "
            "or end its versions before the one that is right"
        )


def reason(record: Record) -> str:
    """Return the issue that a case showed, in words; nothing where it showed none."""
    shown = [one for one in record.known if one.state == "happened"]
    words = (f"known issue {one.id}: {one.what} ({one.source})" for one in shown)
    return escaped("; ".join(words), _LONGEST)


def place_of(case: Case, bench: Bench) -> Place:
    """Return where a case ran; its architecture is the one that MLX's dispatch followed."""
    device = bench.device
    arch = case.setting.arch or device.architecture.value
    return Place(bench.backend, device.mlx_version.value, arch, device.name.value)


State = Literal["happened", "gone", "spared", "other"]


def _facts(issue: Issue, record: Record) -> KnownFacts:
    state = _state(issue, record)
    return KnownFacts(id=issue.id, state=state, what=issue.what, source=issue.source)


def _state(issue: Issue, record: Record) -> State:
    result, error = outcome(record.verdict), record.error or ErrorFacts()
    said = " ".join(filter(None, (error.cause, error.message)))
    if result == "failed" and issue.expects(record.verdict, said):
        return "happened"
    if result in {"failed", "skipped"}:
        return "other"
    return "spared" if issue.sometimes else "gone"
