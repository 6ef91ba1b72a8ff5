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
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

# The script beside this one: its folder is on the path of a script that is run.
import trials  # type: ignore[import-not-found]

SITUATIONS: Final = {"same": 0, "double": 100}
"""Percent by which one case is slower."""

STORING: Final = "storing"
"""What a run that adds to the baseline is called in OUT."""

HEAD: Final = ("runs",)
"""Options that make a file another one."""

Facts = dict[str, Any]


def run(options: argparse.Namespace, situation: str, number: int) -> Facts:
    """Run the suite once; return what came of it.

    Raises:
        SystemExit: pytest ended otherwise than green or red.
    """
    percent = SITUATIONS.get(situation, 0)
    words = [
        *("--applegpu-baselines", str(folder_of(options.out))),
        *(["--applegpu-update-baselines"] if situation == STORING else []),
    ]
    environ = trials.environment(percent, number)
    facts, records = trials.trial(words, (situation, number), percent, environ)
    return {**facts, "verdicts": {one["case"]: figures(one) for one in records}}


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
    judging = trials.in_turn({name: getattr(options, name) for name in SITUATIONS})
    return [*((STORING, number) for number in range(options.runs)), *judging]


def report(done: list[Facts]) -> Iterator[str]:
    """Yield the counts of each situation with exact binomial intervals (Clopper and Pearson)."""
    yield from trials.reported(done, SITUATIONS, _is_found, _said)


def _is_found(one: Facts) -> bool:
    """Whether the case that was slowed is called so."""
    found = (verdict for case, verdict in one["verdicts"].items() if case.startswith(one["slow"]))
    return bool(next(found)[0] == "slower")


def _said(runs: list[Facts]) -> Iterator[str]:
    found = [verdict for one in runs for verdict in one["verdicts"].values()]
    words = Counter(verdict[0] for verdict in found)
    yield f"  cases: {', '.join(f'{count} {word}' for word, count in words.most_common())}"
    seen = sorted(verdict[3] for verdict in found if verdict[3] is not None)
    if seen:
        middle, most = seen[len(seen) // 2], seen[-1]
        yield f"  smallest slowdown to be seen: median {middle:.2f}x, at most {most:.2f}x"


def parsed() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=20, help="runs that are stored first")
    parser.add_argument("--same", type=int, default=100, help="runs with nothing changed")
    parser.add_argument("--double", type=int, default=50, help="runs with 2x in one case")
    trials.add_options(parser, "stored.jsonl")
    return parser.parse_args()


def main() -> None:
    """Run what is not done yet, and print what all of it says."""
    options = parsed()
    trials.carry_out(options, HEAD, wanted(options), run, report)


if __name__ == "__main__":
    main()
