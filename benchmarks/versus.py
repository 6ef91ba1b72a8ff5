"""How often does `--applegpu-versus` raise a false alarm, and how often does it miss a slowdown?

Runs the suite on MLX's CPU backend against the same interpreter, 12 cases of 1 to 2 ms, again and
again: with nothing changed, and with a slowdown of 10 % or 5 % planted in one of the cases, another
one each time, on this side's workers alone (`selftest/faults/slower.py`). A run is red where
pytest is. OUT gets a line a run; started again with the same words it goes on where it ended.

    python benchmarks/versus.py --out versus.jsonl                      300, 100 and 100 runs
    python benchmarks/versus.py --same 3 --tenth 2 --twentieth 2        a try
    python benchmarks/versus.py --minutes 30                            begins nothing after that
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
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

SITUATIONS: Final = {"same": 0, "tenth": 10, "twentieth": 5}
"""Percent by which one case is slower."""

HEAD: Final = ("rounds", "python")
"""Options that make a file another one."""

RED: Final = 1
"""Exit status of pytest where a case failed."""

Facts = dict[str, Any]


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
        "APPLEGPU_SELFTEST_SIDE": "this",
    }
    return dict(os.environ) | (planted if percent else {})


def run(options: argparse.Namespace, situation: str, number: int) -> Facts:
    """Run the suite once; return what came of it.

    Raises:
        SystemExit: pytest ended otherwise than green or red.
    """
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        words = [word for case in range(len(CASES)) for word in ("--applegpu-case", text(case))]
        command = [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", folder),
            *("--pyargs", "pytest_applegpu.suites.throughput", "--benchmark-disable"),
            *("--applegpu-backend", "cpu", "--applegpu-versus", options.python),
            *("--applegpu-rounds", str(options.rounds), "--applegpu-report-log", str(log), *words),
        ]
        ended = subprocess.run(
            command,
            env=environment(SITUATIONS[situation], number),
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode not in {0, RED}:
            raise SystemExit(f"pytest ended with {ended.returncode}: {ended.stdout}{ended.stderr}")
        records = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    slow = text(number).split()[0] if SITUATIONS[situation] else None
    return {
        "situation": situation,
        "number": number,
        "red": ended.returncode == RED,
        "slow": slow,
        "seen": [one["case"] for one in records if one["verdict"] == "slower"],
        "verdicts": dict(Counter(one["verdict"] for one in records)),
        "ratios": {one["case"]: _figures(one) for one in records},
        "load": os.getloadavg()[0],
        "seconds": round(time.perf_counter() - begun, 1),
    }


def _figures(record: Facts) -> list[Any]:
    speed = (record["versus"] or {}).get("speed") or {}
    names = ("ratio", "low", "high", "limit", "spread", "seconds")
    return [record["verdict"], *(speed.get(name) for name in names), speed.get("reason")]


def wanted(options: argparse.Namespace) -> list[tuple[str, int]]:
    """Return every run, the situations in turn so that a part of them is a sample of all."""
    counts = {name: getattr(options, name) for name in SITUATIONS}
    places = ((n / counts[name], name, n) for name in counts for n in range(counts[name]))
    return [(name, number) for _, name, number in sorted(places)]


def resumed(path: Path, head: Facts) -> dict[tuple[str, int], Facts]:
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


def report(done: list[Facts]) -> Iterator[str]:
    """Yield the counts of each situation with exact binomial intervals (Clopper and Pearson)."""
    for situation, percent in SITUATIONS.items():
        runs = [one for one in done if one["situation"] == situation]
        if not runs:
            continue
        red = sum(one["red"] for one in runs)
        yield f"{situation} ({percent} % slower): {share(red, len(runs))} red"
        if percent:
            right = sum(any(case.startswith(one["slow"]) for case in one["seen"]) for one in runs)
            yield f"  {share(right, len(runs))} with the case that was slowed"
        words: Counter[str] = Counter()
        for one in runs:
            words.update(one["verdicts"])
        yield f"  cases: {', '.join(f'{count} {word}' for word, count in words.most_common())}"
        seconds = sum(one["seconds"] for one in runs) / len(runs)
        yield f"  {seconds:.0f} s a run"


def share(found: int, of: int) -> str:
    """Say how many of how many, the 95 % interval, and the upper limit at 95 % where none is."""
    from scipy.stats import binomtest  # noqa: PLC0415 - only where something is said

    ends = binomtest(found, of).proportion_ci(0.95, method="exact")
    upper = binomtest(found, of, alternative="less").proportion_ci(0.95, method="exact").high
    limit = f", upper limit at 95 % {100 * upper:.2g} %" if not found else ""
    return f"{found} of {of} (95 %: {100 * ends.low:.3g} % to {100 * ends.high:.3g} %{limit})"


def parsed() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--same", type=int, default=300, help="runs with nothing changed")
    parser.add_argument("--tenth", type=int, default=100, help="runs with 10 %% in one case")
    parser.add_argument("--twentieth", type=int, default=100, help="runs with 5 %% in one case")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--python", default=sys.executable, help="the other interpreter")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin nothing after so many")
    parser.add_argument("--out", type=Path, default=Path("versus.jsonl"))
    return parser.parse_args()


def main() -> None:
    """Run what is not done yet, and print what all of it says."""
    options = parsed()
    head = {name: getattr(options, name) for name in HEAD} | {"cases": list(CASES)}
    done = resumed(options.out, head)
    deadline = time.time() + 60 * options.minutes
    asked = wanted(options)
    with options.out.open("a", encoding="utf-8") as out:
        for one in asked:
            if one in done or time.time() > deadline:
                continue
            done[one] = run(options, *one)
            out.write(json.dumps(done[one]) + "\n")
            out.flush()
    for line in report([done[one] for one in asked if one in done]):
        print(line)


if __name__ == "__main__":
    main()
