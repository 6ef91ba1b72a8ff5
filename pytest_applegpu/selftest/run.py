"""How is the suite run against one fault? In a pytest of its own, which ends at the first red."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_applegpu.cases.case import Case
from pytest_applegpu.selftest.faults import NONE, Fault
from pytest_applegpu.selftest.red import Red, read_log
from pytest_applegpu.selftest.telling import telling
from pytest_applegpu.setting import FAULT_VARIABLE
from pytest_applegpu.worker.process import SERVE, STAND_INS

PLANTED: Final = Path(__file__).with_name("planted")

SUITE: Final = ("--pyargs", "pytest_applegpu.suites.conformance")

_LIBRARY: Final = ("mlx.core",)
"""What a worker imports where no stand-in is named."""

_ENDED: Final = (0, 1)
"""Statuses of a pytest that ran its cases."""


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one fault. `trouble` says why a run that should have been was none."""

    fault: str
    group: str
    breaks: str
    cases: int
    seconds: float
    red: Red | None = None
    trouble: str = ""

    @property
    def word(self) -> str:
        """`caught` or `missed`; of no fault at all, `green` or `red`."""
        if self.fault == NONE:
            return "red" if self.red or self.trouble else "green"
        return "caught" if self.red else "missed"

    @property
    def good(self) -> bool:
        """Whether it is as it should be."""
        return self.word in {"caught", "green"}


@dataclass(frozen=True, slots=True)
class Suite:
    """The suite as it is run against every fault.

    `words` are the plugin's options but for the tier; `cases` those of the tier, as planned.
    """

    backend: str
    words: tuple[str, ...]
    tier: str
    cases: tuple[Case, ...]

    def clean(self) -> Row:
        """Run the smoke tier with a fault that is none: nothing may be red."""
        began = time.monotonic()
        count, red, trouble = self._run(NONE, ("--applegpu-tier", "smoke"))
        breaks = "nothing: every result takes the same way, and stays right"
        return Row(NONE, NONE, breaks, count, time.monotonic() - began, red, trouble)

    def against(self, fault: Fault) -> Row:
        """Run the cases that tell of `fault`, then, if all are green, the whole tier."""
        began = time.monotonic()
        cases, red, trouble = 0, None, ""
        for words in self._stages(fault):
            count, red, trouble = self._run(fault.name, words)
            cases += count
            if red or trouble:
                break
        spent = time.monotonic() - began
        return Row(fault.name, fault.group, fault.breaks, cases, spent, red, trouble)

    def _stages(self, fault: Fault) -> list[tuple[str, ...]]:
        """Return the words of each run; later ones win where an option is said twice."""
        patience = () if fault.patience is None else ("--applegpu-timeout", str(fault.patience))
        whole = ("--applegpu-tier", self.tier, *patience)
        found = telling(fault, self.cases, self.backend)
        return [(*asked(found), *patience), whole] if found else [whole]

    def _run(self, fault: str, words: Sequence[str]) -> tuple[int, Red | None, str]:
        with tempfile.TemporaryDirectory(prefix="applegpu-selftest-") as folder:
            here = Path(folder)
            (here / "pytest.ini").write_text("[pytest]\n", "utf-8")
            done = subprocess.run(
                [*_pytest(here), *self.words, *words],
                cwd=here,
                env=environment(os.environ, fault, self.backend),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
            count, red = read_log(here / "log.jsonl")
        return count, red, _trouble(done, red)


def _pytest(here: Path) -> list[str]:
    """Return the command that runs the suite in `here`, by no settings but those said."""
    ini = ("-c", str(here / "pytest.ini"), "--rootdir", str(here), "-p", "no:cacheprovider")
    log = ("--applegpu-report-log", str(here / "log.jsonl"))
    # That a case is red is enough: nobody asks who is right.
    return [sys.executable, "-m", "pytest", *SUITE, "-x", *ini, *log, "--applegpu-blame", "0"]


def asked(cases: Sequence[Case]) -> tuple[str, ...]:
    """Return the words that ask for `cases`, and for workers of no other setting than theirs."""
    texts = [word for case in cases for word in ("--applegpu-case", str(case))]
    modes = {case.setting.tf32 for case in cases}
    return (*texts, "--applegpu-tf32", modes.pop() if len(modes) == 1 else "both")


def environment(inherited: Mapping[str, str], fault: str, backend: str) -> dict[str, str]:
    """Return the environment of a run whose workers have `fault` planted."""
    kept = {name: value for name, value in inherited.items() if not name.startswith("PYTEST_")}
    paths = [str(PLANTED), *map(_absolute, kept.get("PYTHONPATH", "").split(os.pathsep))]
    return kept | {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        FAULT_VARIABLE: fault,
        "APPLEGPU_SELFTEST_PROGRAM": SERVE.name,
        "APPLEGPU_SELFTEST_LIBRARY": STAND_INS.get(backend, _LIBRARY)[0],
    }


def _absolute(entry: str) -> str:
    return str(Path(entry).absolute()) if entry else ""


def _trouble(done: subprocess.CompletedProcess[str], red: Red | None) -> str:
    """Return why a run told nothing, by the last line that it wrote; nothing where it did."""
    if done.returncode == 0 or (red is not None and done.returncode in _ENDED):
        return ""
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    last = lines[-1].strip() if lines else "it wrote nothing"
    return f"the run ended with status {done.returncode}: {last}"
