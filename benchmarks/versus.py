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
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

# The script beside this one: its folder is on the path of a script that is run.
import trials  # type: ignore[import-not-found]

SITUATIONS: Final = {"same": 0, "tenth": 10, "twentieth": 5}
"""Percent by which one case is slower."""

HEAD: Final = ("rounds", "python")
"""Options that make a file another one."""

Facts = dict[str, Any]


def environment(percent: int, number: int) -> dict[str, str]:
    """Return the environment of a run whose case `number` is slower on this side alone."""
    side = {"APPLEGPU_SELFTEST_SIDE": "this"} if percent else {}
    found: dict[str, str] = trials.environment(percent, number)
    return found | side


def run(options: argparse.Namespace, situation: str, number: int) -> Facts:
    """Run the suite once; return what came of it.

    Raises:
        SystemExit: pytest ended otherwise than green or red.
    """
    percent = SITUATIONS[situation]
    words = ("--applegpu-versus", options.python, "--applegpu-rounds", str(options.rounds))
    environ = environment(percent, number)
    facts, records = trials.trial(words, (situation, number), percent, environ)
    return {
        **facts,
        "seen": [one["case"] for one in records if one["verdict"] == "slower"],
        "verdicts": dict(Counter(one["verdict"] for one in records)),
        "ratios": {one["case"]: _figures(one) for one in records},
    }


def _figures(record: Facts) -> list[Any]:
    speed = (record["versus"] or {}).get("speed") or {}
    names = ("ratio", "low", "high", "limit", "spread", "seconds")
    return [record["verdict"], *(speed.get(name) for name in names), speed.get("reason")]


def wanted(options: argparse.Namespace) -> list[tuple[str, int]]:
    """Return every run, the situations in turn so that a part of them is a sample of all."""
    found: list[tuple[str, int]] = trials.in_turn(
        {name: getattr(options, name) for name in SITUATIONS}
    )
    return found


def report(done: list[Facts]) -> Iterator[str]:
    """Yield the counts of each situation with exact binomial intervals (Clopper and Pearson)."""
    yield from trials.reported(done, SITUATIONS, _is_found, _said)


def _is_found(one: Facts) -> bool:
    return any(case.startswith(one["slow"]) for case in one["seen"])


def _said(runs: list[Facts]) -> Iterator[str]:
    words: Counter[str] = Counter()
    for one in runs:
        words.update(one["verdicts"])
    yield f"  cases: {', '.join(f'{count} {word}' for word, count in words.most_common())}"


def parsed() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--same", type=int, default=300, help="runs with nothing changed")
    parser.add_argument("--tenth", type=int, default=100, help="runs with 10 %% in one case")
    parser.add_argument("--twentieth", type=int, default=100, help="runs with 5 %% in one case")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--python", default=sys.executable, help="the other interpreter")
    trials.add_options(parser, "versus.jsonl")
    return parser.parse_args()


def main() -> None:
    """Run what is not done yet, and print what all of it says."""
    options = parsed()
    trials.carry_out(options, HEAD, wanted(options), run, report)


if __name__ == "__main__":
    main()
