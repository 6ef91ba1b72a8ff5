"""Runs of the suite again and again on MLX's CPU backend: what `versus.py` and `stored.py` share.

Twelve cases of 1 to 2 ms, a slowdown planted in one of them, another one each time
(`selftest/faults/slower.py`), and a file of runs that can be gone on with. A run is red where
pytest is.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest_applegpu
from pytest_applegpu.selftest.run import PLANTED

CASES: Final = (
    *("f32-nt-120x120x120", "f32-nn-160x144x136", "f32-tn-144x160x144", "f32-nt-64x64x420"),
    *("f32-nn-128x128x192", "f32-nt-256x56x120", "f32-nn-64x384x128", "f32-tt-112x112x128"),
    *("f32-nt-136x120x104", "f32-nn-144x144x144", "f32-tn-112x160x176", "f32-nt-176x80x120"),
)
"""Products that take 1 to 2 ms on one core of the machine that this was made for."""

RED: Final = 1
"""Exit status of pytest where a case failed."""

Facts = dict[str, Any]

Asked = tuple[str, int]
"""A run: its situation, and its number in it."""

Run = Callable[[argparse.Namespace, str, int], Facts]
Report = Callable[[list[Facts]], Iterator[str]]


def text(number: int) -> str:
    """Return the case of a number."""
    return f"matmul-{CASES[number % len(CASES)]} check=throughput tf32=off"


def size(number: int) -> str:
    """Return the sizes of a case as the planted fault takes them."""
    return CASES[number % len(CASES)].rpartition("-")[2]


def environment(percent: int, number: int) -> dict[str, str]:
    """Return the environment of a run whose case `number` is slower by `percent`."""
    planted = {
        "PYTHONPATH": os.pathsep.join(
            [str(PLANTED), str(Path(pytest_applegpu.__file__).parents[1])]
        ),
        "APPLEGPU_SELFTEST_FAULT": f"slower_by_{percent}_percent:{size(number)}",
        "APPLEGPU_SELFTEST_PROGRAM": "serve.py",
        "APPLEGPU_SELFTEST_LIBRARY": "mlx.core",
    }
    return dict(os.environ) | (planted if percent else {})


def trial(
    words: Sequence[str], asked: Asked, percent: int, environ: Mapping[str, str]
) -> tuple[Facts, list[Facts]]:
    """Run all cases once; return what is told of any run, and the records of its cases.

    Raises:
        SystemExit: pytest ended otherwise than green or red.
    """
    begun, (situation, number) = time.perf_counter(), asked
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        cases = [word for case in range(len(CASES)) for word in ("--applegpu-case", text(case))]
        command = [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", folder),
            *("--pyargs", "pytest_applegpu.suites.throughput", "--benchmark-disable"),
            *("--applegpu-backend", "cpu", "--applegpu-report-log", str(log), *words, *cases),
        ]
        ended = subprocess.run(
            command, env=environ, cwd=folder, capture_output=True, text=True, check=False
        )
        if ended.returncode not in {0, RED}:
            raise SystemExit(f"pytest ended with {ended.returncode}: {ended.stdout}{ended.stderr}")
        records = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    facts = {
        "situation": situation,
        "number": number,
        "red": ended.returncode == RED,
        "slow": text(number).split()[0] if percent else None,
        "load": os.getloadavg()[0],
        "seconds": round(time.perf_counter() - begun, 1),
    }
    return facts, records


def in_turn(counts: Mapping[str, int]) -> list[Asked]:
    """Return every run, the situations in turn so that a part of them is a sample of all."""
    places = ((n / counts[name], name, n) for name in counts for n in range(counts[name]))
    return [(name, number) for _, name, number in sorted(places)]


def resumed(path: Path, head: Facts) -> dict[Asked, Facts]:
    """Return the runs that are done; begin the file if there is none. A torn last line is dropped.

    Raises:
        SystemExit: the file is of other options.
    """
    if not path.exists():
        path.write_text(json.dumps(head) + "\n", "utf-8")
        return {}
    whole = path.read_text("utf-8").rpartition("\n")[0]
    path.write_text(f"{whole}\n", "utf-8")
    first, *lines = whole.splitlines()
    if json.loads(first) != head:
        raise SystemExit(f"--out: {path} is of another run: {first}")
    return {(one["situation"], one["number"]): one for one in map(json.loads, lines)}


def share(found: int, of: int) -> str:
    """Say how many of how many, the 95 % interval, and the upper limit at 95 % where none is."""
    from scipy.stats import binomtest  # noqa: PLC0415 - only where something is said

    ends = binomtest(found, of).proportion_ci(0.95, method="exact")
    upper = binomtest(found, of, alternative="less").proportion_ci(0.95, method="exact").high
    limit = f", upper limit at 95 % {100 * upper:.2g} %" if not found else ""
    return f"{found} of {of} (95 %: {100 * ends.low:.3g} % to {100 * ends.high:.3g} %{limit})"


def reported(
    done: list[Facts],
    situations: Mapping[str, int],
    found: Callable[[Facts], bool],
    figures: Callable[[list[Facts]], Iterator[str]],
) -> Iterator[str]:
    """Yield what each situation came to: red runs, runs whose slowed case is `found`, figures."""
    for situation, percent in situations.items():
        runs = [one for one in done if one["situation"] == situation]
        if not runs:
            continue
        red = sum(one["red"] for one in runs)
        yield f"{situation} ({percent} % slower): {share(red, len(runs))} red"
        if percent:
            yield f"  {share(sum(map(found, runs)), len(runs))} with the case that was slowed"
        yield from figures(runs)
        yield f"  {sum(one['seconds'] for one in runs) / len(runs):.0f} s a run"


def add_options(parser: argparse.ArgumentParser, out: str) -> None:
    """Add what both scripts are told: when to stop, and where the runs are kept."""
    parser.add_argument("--minutes", type=float, default=1e6, help="begin nothing after so many")
    parser.add_argument("--out", type=Path, default=Path(out))


def carry_out(
    options: argparse.Namespace, head: Sequence[str], asked: list[Asked], run: Run, report: Report
) -> None:
    """Run what is not done yet, and print what all of it says; `head` makes a file another one."""
    facts = {name: getattr(options, name) for name in head} | {"cases": list(CASES)}
    done = resumed(options.out, facts)
    deadline = time.time() + 60 * options.minutes
    with options.out.open("a", encoding="utf-8") as out:
        for one in asked:
            if one in done or time.time() > deadline:
                continue
            done[one] = run(options, *one)
            out.write(json.dumps(done[one]) + "\n")
            out.flush()
    for line in report([done[one] for one in asked if one in done]):
        print(line)
