"""How is a baseline file read, found and written, whole or not at all?"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from pytest_applegpu.baselines.lock import locked
from pytest_applegpu.baselines.places import check_writable, file_of
from pytest_applegpu.baselines.records import (
    Baseline,
    BaselineError,
    Card,
    Numbers,
    Record,
    Routed,
    Run,
    Speed,
)
from pytest_applegpu.baselines.text import decode, encode

LARGEST: Final = 64 * 2**20
"""Bytes beyond which a file is not even read; a real one has some hundred thousand."""

PATIENCE: Final = 60.0
"""Seconds to wait for another run that is writing the same file."""

AnyPart = TypeVar("AnyPart", Numbers, Speed, Routed, Card)


@dataclass(frozen=True, slots=True)
class Past(Generic[AnyPart]):
    """A stored part of a record, the run it was measured in, and the file that holds it."""

    part: AnyPart
    run: Run
    path: Path


@dataclass(frozen=True, slots=True)
class Shelf:
    """Every baseline of one hardware key, those that take precedence first."""

    key: str
    layers: tuple[tuple[Path, Baseline], ...] = ()

    def numbers(self, case: str) -> Past[Numbers] | None:
        """Return the first stored numbers of a case."""
        for path, baseline, record in self._records(case):
            if record.numbers is not None:
                return Past(record.numbers, baseline.runs[record.numbers.run], path)
        return None

    def speed(self, case: str) -> Past[Speed] | None:
        """Return the first stored speed of a case."""
        for path, baseline, record in self._records(case):
            if record.speed is not None:
                return Past(record.speed, baseline.runs[record.speed.run], path)
        return None

    def route(self, case: str) -> Past[Routed] | None:
        """Return the first stored route of a case."""
        for path, baseline, record in self._records(case):
            if record.route is not None:
                return Past(record.route, baseline.runs[record.route.run], path)
        return None

    def card(self, case: str) -> Past[Card] | None:
        """Return the first stored card of a case."""
        for path, baseline, record in self._records(case):
            if record.card is not None:
                return Past(record.card, baseline.runs[record.card.run], path)
        return None

    def _records(self, case: str) -> Iterator[tuple[Path, Baseline, Record]]:
        for path, baseline in self.layers:
            if case in baseline.cases:
                yield path, baseline, baseline.cases[case]


def read(path: Path) -> Baseline:
    """Read one file.

    Raises:
        BaselineError: it cannot be read, is no baseline, or is about other hardware than its
            name says. The file is left as it is.
    """
    baseline = _read_if_there(path)
    if baseline is None:
        raise BaselineError(_line(path, "there is no such file"))
    return baseline


def find(key: str, folders: Iterable[Path]) -> Shelf:
    """Gather what `folders` hold about the hardware `key`; each fills what those before lack.

    Raises:
        BaselineError: a file of that name is there and is no baseline of that hardware.
    """
    paths = dict.fromkeys(file_of(key, folder) for folder in folders)
    found = ((path, _read_if_there(path)) for path in paths)
    return Shelf(key, tuple((path, baseline) for path, baseline in found if baseline is not None))


def rewrite(path: Path, change: Callable[[Baseline | None], Baseline]) -> Baseline:
    """Replace the file by what `change` makes of it (of None, where there is no file).

    Reading, changing and writing happen under one lock, so that of runs that write at the same
    time none loses what another wrote. Readers see the old file or the new one, never a part.

    Raises:
        BaselineError: the file is damaged, the place is not for writing, another run holds the
            lock for too long, or the change is no baseline. The old file is left as it is.
    """
    check_writable(path)
    with _turn(path):
        old = _read_if_there(path)
        try:
            text = encode(change(old))
            baseline = _keyed(path, text)
            path.parent.mkdir(parents=True, exist_ok=True)
            _replace(path.resolve(), text)
        except BaselineError as error:
            raise BaselineError(_line(path, f"not written: {error}")) from None
        except OSError as error:
            raise BaselineError(_line(path, f"cannot be written: {error.strerror}")) from None
    return baseline


def _read_if_there(path: Path) -> Baseline | None:
    content = _content(path)
    if content is None:
        return None
    try:
        return _keyed(path, content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BaselineError(_line(path, f"not UTF-8 at byte {error.start}")) from None
    except BaselineError as error:
        raise BaselineError(_line(path, str(error))) from None


def _content(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise BaselineError(_line(path, f"cannot be read: {error.strerror}")) from None
    if len(content) > LARGEST:
        raise BaselineError(_line(path, f"larger than {LARGEST // 2**20} MiB, so no baseline"))
    return content


def _keyed(path: Path, text: str) -> Baseline:
    """Read a text whose hardware must be the one that its file is named after."""
    baseline = decode(text)
    if baseline.key != path.stem:
        raise BaselineError(f'$.key: "{baseline.key}" is not the file\'s name, "{path.stem}"')
    return baseline


def _line(path: Path, reason: str) -> str:
    """One printable line, whatever a file's name or a message holds."""
    line = f"{path}: {reason}"
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in line)


@contextmanager
def _turn(path: Path) -> Iterator[None]:
    """Write while no other run writes the same file."""
    with ExitStack() as held:
        try:
            held.enter_context(locked(PATIENCE))
        except TimeoutError:
            reason = f"another run has been writing baselines for {PATIENCE:.0f} s"
            raise BaselineError(_line(path, reason)) from None
        except OSError as error:
            raise BaselineError(_line(path, f"cannot be locked: {error.strerror}")) from None
        yield


def _replace(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with draft.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where the file system can."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
