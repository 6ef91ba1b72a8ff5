"""Where do records go while the run goes on? Into a file of JSON lines, each flushed at once."""

from __future__ import annotations

import re
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from pytest_applegpu.report.records import Record, as_builtins

OPTION: Final = "--applegpu-report-log"

_OWN = re.compile(rb'\{"schema":\d+,"case":"')
"""How every log of ours begins, whole or cut off in its first line."""


class ReportLogError(ValueError):
    """The report log cannot be written; the message names the option and the file."""


class ReportLog:
    """An open report log. What has been written stays, whatever ends the run.

    A file that is empty or an earlier report log is written anew; any other file is left alone.

    Raises:
        ReportLogError: `path` is another kind of file, its folder is missing, or the system
            refuses to open or to write it.
    """

    def __init__(self, path: Path, kept: int | None = None) -> None:
        """Open `path` for writing, anew or behind its first `kept` bytes."""
        self.path = path
        _refuse_foreign(path)
        try:
            # Unbuffered, so that no half-written line waits in this process to fail again.
            self._file: FileIO = path.open("wb" if kept is None else "r+b", buffering=0)
            if kept is not None:
                self._file.truncate(kept)
                self._file.seek(kept)
        except OSError as error:
            raise _system_error(path, error) from error

    def write(self, record: Record) -> None:
        """Append one record as one line and hand it to the system."""
        try:
            rest = memoryview(line(record))
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            raise _system_error(self.path, error) from error

    def close(self) -> None:
        """Close the file; closing it again does nothing."""
        self._file.close()

    def __enter__(self) -> Self:
        """Return the open log."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the log."""
        self.close()


def line(record: Record) -> bytes:
    """Return the record's line of JSON, ended by a newline."""
    return msgspec.json.encode(as_builtins(record)) + b"\n"


def _refuse_foreign(path: Path) -> None:
    if not path.parent.is_dir():
        raise ReportLogError(f"{OPTION}: the folder {str(path.parent)!r} does not exist")
    if path.is_dir():
        raise ReportLogError(f"{OPTION}: {str(path)!r} is a folder; name a file")
    if not path.is_file():
        return
    try:
        with path.open("rb") as file:
            start = file.read(64)
    except OSError as error:
        raise _system_error(path, error) from error
    if start and not _OWN.match(start):
        raise ReportLogError(
            f"{OPTION}: {str(path)!r} exists and is not a report log; "
            "name another file, or remove this one first"
        )


def _system_error(path: Path, error: OSError) -> ReportLogError:
    return ReportLogError(f"{OPTION}: {str(path)!r} cannot be written: {error.strerror or error}")
