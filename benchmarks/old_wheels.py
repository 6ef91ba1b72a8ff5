"""Is the corpus of public bugs red in old wheels of MLX exactly where it says so?

    for V in 0.29.3 0.31.2; do
        python -m venv old/$V && old/$V/bin/pip install "mlx[cpu]==$V" numpy
    done
    python benchmarks/old_wheels.py old/*/bin/python python

Runs `pytest suites/regressions --applegpu-python PATH` for each interpreter and prints a table: a
row a bug that a version has or shows, a column a version, in a cell what its cases ended in. What
is not as the corpus says is marked, and the exit status is 1 then. A version that has a bug is to
end at least one of its cases as `gives` says, and no case in anything else than that or a right
result; another version is to end none in a failure. Bugs of other backends are not expected; nor
are those that need more than a version, where the corpus says `only`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
from packaging.version import Version
from tabulate import tabulate

from pytest_applegpu.cases.regressions.bug import Bug
from pytest_applegpu.cases.regressions.corpus import shipped_bugs
from pytest_applegpu.issues.match import words
from pytest_applegpu.issues.subject import Place
from pytest_applegpu.report.records import Record, from_builtins
from pytest_applegpu.words import outcome

UNLIKE: Final = " (!)"
"""Marks what is not as the corpus says."""

SHOWN: Final = {"exact": "right", "within": "right", "refused": "right"}


@dataclass(frozen=True)
class Run:
    """What a version ended the corpus in: its records by the names of the bugs."""

    place: Place
    records: dict[str, list[Record]]


@dataclass(frozen=True)
class Cell:
    """What the cases of a bug ended in with a version, and whether that is as the corpus says."""

    text: str
    red: bool
    fits: bool


def run(python: str, backend: str, tier: str) -> Run:
    """Run the corpus with the MLX of an interpreter.

    Raises:
        SystemExit: nothing was run.
    """
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        said = {"python": python, "backend": backend, "tier": tier, "report-log": log, "blame": 0}
        options = [f"--applegpu-{name}={value}" for name, value in said.items()]
        pytest = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", folder]
        named = [*pytest, "--pyargs", "pytest_applegpu.suites.regressions", *options]
        done = subprocess.run(named, capture_output=True, text=True, check=False)
        lines = log.read_bytes().splitlines() if log.exists() else []
    if not lines:
        raise SystemExit(f"{python}: nothing was run\n{done.stdout}{done.stderr}")
    return _by_bug([from_builtins(msgspec.json.decode(line)) for line in lines])


def _by_bug(records: Sequence[Record]) -> Run:
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(name_of(record), []).append(record)
    first = records[0]
    return Run(Place(first.backend or "", first.mlx, _machine(), None), found)


def _machine() -> str:
    import platform  # noqa: PLC0415 - asked once

    return platform.machine()


def name_of(record: Record) -> str:
    """Return the name of the bug whose test a record is of: `...test_corpus[NAME CASE]`."""
    return (record.nodeid or "").partition("[")[2].partition(" ")[0]


def cell(bug: Bug, ran: Run) -> Cell:
    """Say what became of a bug with a version."""
    records = ran.records.get(bug.id, [])
    verdicts = list(dict.fromkeys(record.verdict for record in records))
    bad = [word for word in verdicts if word in words(bug.gives) or outcome(word) == "failed"]
    affected = bool(records) and bug.affects(ran.place)
    shown = [SHOWN.get(word, word) for word in (bad or verdicts)] or ["not asked"]
    return Cell(", ".join(dict.fromkeys(shown)), bool(bad), _fits(bug, bad, affected=affected))


def _fits(bug: Bug, bad: list[str], *, affected: bool) -> bool:
    """Tell whether a bug that a place has, or has not, may end in `bad` there."""
    expected = set(bad) <= set(words(bug.gives))
    if affected:
        return expected and (bool(bad) or bug.only is not None)
    return not bad


def rows(bugs: Iterable[Bug], runs: Sequence[Run]) -> Iterator[tuple[Bug, list[Cell]]]:
    """Yield the bugs that any version has or shows, or is to."""
    for bug in bugs:
        cells = [cell(bug, ran) for ran in runs]
        if any(one.red or not one.fits for one in cells):
            yield bug, cells


def table(found: Sequence[tuple[Bug, list[Cell]]], runs: Sequence[Run]) -> str:
    """Return the table in Markdown."""
    heads = ["bug", "in MLX", *(ran.place.mlx or "?" for ran in runs)]
    drawn = [
        [bug.id, bug.mlx or "all", *(one.text + ("" if one.fits else UNLIKE) for one in cells)]
        for bug, cells in found
    ]
    return tabulate(drawn, heads, tablefmt="github", disable_numparse=True)


def main() -> None:
    """Run every interpreter, print the table, and end with 1 where it is not as the corpus says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("python", nargs="+", help="interpreters that have an MLX each")
    parser.add_argument("--backend", default="cpu", help="cpu (default), metal or cuda")
    parser.add_argument("--tier", default="smoke", help="smoke (default), standard or exhaustive")
    chosen = parser.parse_args()
    runs = [run(python, chosen.backend, chosen.tier) for python in chosen.python]
    runs.sort(key=lambda ran: Version(ran.place.mlx or "0"))
    bugs = shipped_bugs()
    found = list(rows(bugs, runs))
    asked = sum(any(bug.id in ran.records for ran in runs) for bug in bugs)
    unlike = sum(not one.fits for _, cells in found for one in cells)
    print(table(found, runs))
    print(f"\n{asked} bugs asked; not as the corpus says: {unlike}")
    sys.exit(1 if unlike else 0)


if __name__ == "__main__":
    main()
