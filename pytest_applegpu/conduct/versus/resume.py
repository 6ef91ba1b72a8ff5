"""Which cases does the log of a versus run hold already, and is it of the same run?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import to_builtins

from pytest_applegpu.report.phrases import escaped
from pytest_applegpu.report.records import Record, from_builtins
from pytest_applegpu.report.versus_records import RunFacts


@dataclass(frozen=True, slots=True)
class Resumed:
    """The records of a log by the test that ended in each, and what is to be said of the log.

    `whole` is how many bytes of it are whole lines: a line that was cut off while it was written
    is no record, and its case is run again.
    """

    records: dict[str, Record] = field(default_factory=dict)
    whole: int = 0
    torn: bool = False

    def of(self, nodeid: str) -> Record | None:
        """Return the record in which a test ended, if it did."""
        return self.records.get(_key(nodeid))

    def check(self, run: RunFacts, option: str) -> None:
        """Refuse to go on with a log of another run.

        Raises:
            pytest.UsageError: versions, seed or options differ; the message names what does.
        """
        for record in self.records.values():
            before = record.versus.run if record.versus else None
            if before is None:
                raise pytest.UsageError(f"{option}: {escaped(record.case)} is of no versus run")
            if before != run:
                said = "; ".join(_differing(before, run))
                raise pytest.UsageError(f"{option}: the log is of another run: {escaped(said)}")

    def lines(self, path: Path) -> list[str]:
        """Return what is gone on with, as lines for the top of a run."""
        count = len(self.records)
        cases = "1 case is" if count == 1 else f"{count} cases are"
        torn = "; its last line was cut off, and that case is run again" if self.torn else ""
        return [f"resumed from {path}: {cases} not run again{torn}"]


def _key(nodeid: str) -> str:
    """Return what names a test from whatever folder it is run: its file and all that follows."""
    path, colons, rest = nodeid.partition("::")
    return f"{path.rpartition('/')[2]}{colons}{rest}"


def _differing(before: RunFacts, now: RunFacts) -> Iterator[str]:
    then, today = to_builtins(before), to_builtins(now)
    yield from _unlike("", then, today)


def _unlike(name: str, before: Any, now: Any) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        for part in before:
            yield from _unlike(f"{name} {part}".strip(), before[part], now.get(part))
    elif before != now:
        yield f"{name} was {_said(before)}, and is {_said(now)}"


def _said(value: Any) -> str:
    return " ".join(map(str, value)) or "none" if isinstance(value, list | tuple) else str(value)


def read_log(path: Path, option: str) -> Resumed:
    """Read the log of a run that ended early.

    Raises:
        pytest.UsageError: it cannot be read, or a line other than the last is no record.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        said = error.strerror or error
        raise pytest.UsageError(f"{option}: {str(path)!r} cannot be read: {said}") from None
    lines = data.split(b"\n")
    rest = lines.pop()
    found: dict[str, Record] = {}
    for number, line in enumerate(lines, 1):
        record = _record(line)
        if record is None:
            said = f"line {number} of {str(path)!r} is no record of this version's report log"
            raise pytest.UsageError(f"{option}: {said}")
        found[_key(record.nodeid or record.case)] = record
    return Resumed(found, len(data) - len(rest), bool(rest))


def _record(line: bytes) -> Record | None:
    try:
        return from_builtins(msgspec.json.decode(line))
    except (msgspec.MsgspecError, ValueError, TypeError):
        return None
