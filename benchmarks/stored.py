"""How often does a stored baseline raise a false alarm on a shared CPU, and does it see 2x?

Stores a baseline of 12 cases of 1 to 2 ms on MLX's CPU backend, from a number of runs, and then
runs the suite against it again and again: with nothing changed, and with one case made twice as
slow, another one each time (`selftest/faults/slower.py`). A run is red where pytest is. OUT gets a
line a run, and the baseline lies beside it (OUT.baselines); started again with the same words it
goes on where it ended.

    python benchmarks/stored.py --out stored.jsonl                20 stored runs, then 100 and 50
    python benchmarks/stored.py --runs 5 --same 2 --double 2      a try
    python benchmarks/stored.py --minutes 30                      begins nothing after that
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

# The script beside this one: its folder is on the path of a script that is run.
from versus import (  # type: ignore[import-not-found]
    CASES,
    RED,
    environment,
    resumed,
    share,
    text,
)

SITUATIONS: Final = {"same": 0, "double": 100}
"""Percent by which one case is slower."""

STORING: Final = "storing"
"""What a run that adds to the baseline is called in OUT."""

HEAD: Final = ("runs",)
"""Options that make a file another one."""

Facts = dict[str, Any]


def planted(percent: int, number: int) -> dict[str, str]:
    """Return the environment of a run whose case `number` is slower, on whatever side."""
    found: dict[str, str] = environment(percent, number)
    found.pop("APPLEGPU_SELFTEST_SIDE", None)
    return found


def run(options: argparse.Namespace, situation: str, number: int) -> Facts:
    """Run the suite once; return what came of it.

    Raises:
        SystemExit: pytest ended otherwise than green or red.
    """
    begun, percent = time.perf_counter(), SITUATIONS.get(situation, 0)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        words = [word for case in range(len(CASES)) for word in ("--applegpu-case", text(case))]
        command = [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", folder),
            *("--pyargs", "pytest_applegpu.suites.throughput", "--benchmark-disable"),
            *("--applegpu-backend", "cpu", "--applegpu-baselines", str(folder_of(options.out))),
            *("--applegpu-report-log", str(log), *words),
            *(["--applegpu-update-baselines"] if situation == STORING else []),
        ]
        ended = subprocess.run(
            command,
            env=planted(percent, number),
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode not in {0, RED}:
            raise SystemExit(f"pytest ended with {ended.returncode}: {ended.stdout}{ended.stderr}")
        records = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    return {
        "situation": situation,
        "number": number,
        "red": ended.returncode == RED,
        "slow": text(number).split()[0] if percent else None,
        "verdicts": {one["case"]: figures(one) for one in records},
        "load": os.getloadavg()[0],
        "seconds": round(time.perf_counter() - begun, 1),
    }


def folder_of(out: Path) -> Path:
    """Return the folder of the baseline that belongs to a file of runs."""
    return out.resolve().with_suffix(".baselines")


def figures(record: Facts) -> list[Any]:
    """Return the verdict of a case, what it rests on, and what could have been seen."""
    stored = record["baseline"] or {}
    names = ("ratio", "limit", "smallest_seen")
    return [record["verdict"], *(stored.get(name) for name in names), stored.get("reasons")]


def wanted(options: argparse.Namespace) -> list[tuple[str, int]]:
    """Return every run: those that store first, then both situations in turn."""
    counts = {name: getattr(options, name) for name in SITUATIONS}
    places = ((n / counts[name], name, n) for name in counts for n in range(counts[name]))
    judging = [(name, number) for _, name, number in sorted(places)]
    return [*((STORING, number) for number in range(options.runs)), *judging]


def report(done: list[Facts]) -> Iterator[str]:
    """Yield the counts of each situation with exact binomial intervals (Clopper and Pearson)."""
    for situation, percent in SITUATIONS.items():
        runs = [one for one in done if one["situation"] == situation]
        if not runs:
            continue
        yield f"{situation} ({percent} % slower): {share(sum(map(is_red, runs)), len(runs))} red"
        if percent:
            right = sum(_word_of(one) == "slower" for one in runs)
            yield f"  {share(right, len(runs))} with the case that was slowed"
        found = [verdict for one in runs for verdict in one["verdicts"].values()]
        words = Counter(verdict[0] for verdict in found)
        yield f"  cases: {', '.join(f'{count} {word}' for word, count in words.most_common())}"
        seen = sorted(verdict[3] for verdict in found if verdict[3] is not None)
        if seen:
            middle, most = seen[len(seen) // 2], seen[-1]
            yield f"  smallest slowdown to be seen: median {middle:.2f}x, at most {most:.2f}x"
        yield f"  {sum(one['seconds'] for one in runs) / len(runs):.0f} s a run"


def is_red(one: Facts) -> bool:
    """Whether pytest was red in a run."""
    return bool(one["red"])


def _word_of(one: Facts) -> str:
    """Return the verdict of the case that was slowed."""
    found = (verdict for case, verdict in one["verdicts"].items() if case.startswith(one["slow"]))
    return str(next(found)[0])


def parsed() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=20, help="runs that are stored first")
    parser.add_argument("--same", type=int, default=100, help="runs with nothing changed")
    parser.add_argument("--double", type=int, default=50, help="runs with 2x in one case")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin nothing after so many")
    parser.add_argument("--out", type=Path, default=Path("stored.jsonl"))
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
