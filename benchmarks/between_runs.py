"""How far apart do whole runs lie, and what do verdicts against a stored baseline say of them?

    python benchmarks/between_runs.py record FILE [--backend cuda] [--processes 30] [--cases 8]
    python benchmarks/between_runs.py judge FILE [--draws 10000] [--stored 5]

`record` times the same cases in worker processes that are new each time, one after another, and
appends a JSON line a process to FILE: it can be broken off and begun again. Each case is timed as
the product times it; on a GPU that takes some 3.5 s, so that 8 cases in 30 processes take about a
quarter of an hour, and the first 3 about six minutes.

`judge` draws processes from FILE, whole process by whole process: STORED become the baseline, one
the run, more the further measurements of what looks slower, with a slowdown applied to all but the
baseline. Where FILE has too few processes, those of the baseline are drawn with repetition, never
those that are judged. It prints how often each slowdown is red, `unstable` and `same`, with exact
binomial intervals, and how often pytest-benchmark's `--benchmark-compare-fail=min:5%` would call
the same draws red: one stored run, the fastest submission of each, no second measurement.
"""

from __future__ import annotations

import argparse
import functools
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from pytest_applegpu.baselines.compare import stored
from pytest_applegpu.baselines.records import Speed
from pytest_applegpu.baselines.repeat import pooled
from pytest_applegpu.throughput.apart import apart_on
from pytest_applegpu.throughput.slope import Timing
from pytest_applegpu.throughput.verdict import MOST, Rules, compare

CASES: Final = (
    "matmul-bf16-nn-4096x4096x4096 check=throughput tf32=on",
    "quantized_matmul-bf16-nt-1x4096x4096 check=throughput tf32=on",
    "matmul-f32-nn-2048x2048x2048 check=throughput tf32=on",
    "matmul-f16-nt-2048x2048x2048 check=throughput tf32=on",
    "matmul-f32-nn-2048x2048x2048 check=throughput tf32=off",
    "matmul-bf16-nt-1x4096x4096 check=throughput tf32=on",
    "matmul-bf16-nt-16x4096x4096 check=throughput tf32=on",
    "matmul-bf16-nn-1024x1024x1024 check=throughput tf32=on",
)
"""GEMM in every format, GEMV, a flat product and a quantized one: 7 to 350 microseconds each on an
H200, some milliseconds to seconds on a CPU."""

FACTORS: Final = (1.0, 1.05, 1.1, 1.5, 2.0)
"""Slowdowns that are applied."""

MIN: Final = 1.05
"""The ratio of minima beyond which pytest-benchmark fails with `min:5%`."""

Facts = dict[str, Any]
Process = dict[str, Timing]


def record(file: Path, backend: str, processes: int, cases: Sequence[str]) -> None:
    """Append a line for each process that is missing in `file`. A torn last line is dropped."""
    lines = file.read_text("utf-8").rpartition("\n")[0].splitlines() if file.exists() else []
    file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    with file.open("a", encoding="utf-8") as out:
        for number in range(len(lines), processes):
            began = time.time()
            found = times(backend, cases)
            line = {"process": number, "backend": backend, "began": began, "times": found}
            out.write(json.dumps(line) + "\n")
            out.flush()
            print(f"process {number}: {time.time() - began:.1f} s", flush=True)


def times(backend: str, cases: Sequence[str]) -> dict[str, Facts]:
    """Time cases in workers that are new, and ended afterwards.

    Raises:
        SystemExit: a case gave no time.
    """
    from pytest_applegpu.cases.case import parse_cases  # noqa: PLC0415
    from pytest_applegpu.conduct.speed import Ended, measure  # noqa: PLC0415 - judging needs none

    bench, found = _bench(backend), {}
    for text in cases:
        (case,) = parse_cases(text, ())
        timed = measure(case, bench)
        if isinstance(timed, Ended):
            raise SystemExit(f"{text}: {timed.verdict}: {timed.message}")
        found[text] = kept(timed)
    bench.pool.close()
    return found


@functools.cache
def _bench(backend: str) -> Any:
    """Start once what all processes have in common; the pool starts workers when it is asked."""
    from pytest_applegpu.conduct.planning import Plan  # noqa: PLC0415 - judging needs none
    from pytest_applegpu.conduct.start import start  # noqa: PLC0415
    from pytest_applegpu.config import read_config  # noqa: PLC0415

    here, asked = Path.cwd(), {"backend": backend}
    plan = Plan(read_config(lambda option: asked.get(option.name), here, here))
    return start(plan.config, plan)


def kept(timed: Timing) -> Facts:
    """Return what is kept of a timing."""
    figures = ("seconds", "low", "high", "spread", "best", "overhead_seconds")
    rounded = {name: float(f"{getattr(timed, name):.5g}") for name in figures}
    samples = [float(f"{one:.5g}") for one in timed.samples]
    return rounded | {"count": timed.count, "dropped": timed.dropped, "samples": samples}


def read(file: Path) -> tuple[str, list[Process]]:
    """Return the backend and the timings of each whole process of a file."""
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return lines[0]["backend"], [
        {case: _timing(facts) for case, facts in line["times"].items()} for line in lines
    ]


def _timing(facts: Facts) -> Timing:
    return Timing(**facts | {"samples": tuple(facts["samples"])})


@dataclass
class Shares:
    """What came of draws with one slowdown: words by case, and how many suites were red."""

    draws: int = 0
    red: int = 0
    min_red: int = 0
    words: dict[str, Counter[str]] = field(default_factory=dict)
    min_words: Counter[str] = field(default_factory=Counter)


def judged(
    backend: str, processes: Sequence[Process], factor: float, draws: int, runs: int
) -> Shares:
    """Draw whole processes, apply `factor` to all but the baseline's, and judge every case."""
    chance, shares = random.Random(6), Shares(draws)  # noqa: S311 - a repeatable draw
    rules = Rules(apart=apart_on(backend))
    for _ in range(draws):
        before, after = drawn(processes, runs, chance)
        red, min_red = False, False
        for case in processes[0]:
            now = [_scaled(one[case], factor) for one in after]
            word = _word([one[case] for one in before], now, len(processes[0]), rules)
            shares.words.setdefault(case, Counter())[word] += 1
            red |= word == "slower"
            if now[0].best > MIN * before[0][case].best:
                shares.min_words[case] += 1
                min_red = True
        shares.red, shares.min_red = shares.red + red, shares.min_red + min_red
    return shares


def drawn(
    processes: Sequence[Process], runs: int, chance: random.Random
) -> tuple[list[Process], list[Process]]:
    """Draw the processes of a baseline and, none of them, those of the run and what follows."""
    order = chance.sample(processes, len(processes))
    after, rest = order[:MOST], order[MOST:]
    return rest[:runs] if len(rest) >= runs else chance.choices(rest, k=runs), after


def _scaled(timed: Timing, factor: float) -> Timing:
    return Timing(
        seconds=factor * timed.seconds,
        low=factor * timed.low,
        high=factor * timed.high,
        spread=timed.spread,
        best=factor * timed.best,
        overhead_seconds=timed.overhead_seconds,
        count=timed.count,
        samples=tuple(factor * one for one in timed.samples),
        dropped=timed.dropped,
    )


def _word(before: Sequence[Timing], now: Sequence[Timing], timed: int, rules: Rules) -> str:
    """Conduct a case: measured again for as long as it is suspected."""
    known = stored(functools.reduce(pooled, map(_speed, before)))
    taken = 1
    found = compare(now[:taken], known, timed, rules)
    while found.suspected:
        taken += 1
        found = compare(now[:taken], known, timed, rules)
    return found.word


_SPEED: Final = Speed("2026-12-01-00000000", 1, 1, 1, 0, 1, 1, 1, None, 0, 0, "recorded")


def _speed(timed: Timing) -> Speed:
    return replace(
        _SPEED,
        seconds=timed.seconds,
        low=timed.low,
        high=timed.high,
        spread=timed.spread,
        best=timed.best,
        repeats=timed.pairs,
    )


def report(backend: str, processes: Sequence[Process], draws: int, runs: int) -> Iterator[str]:
    """Yield a line for each case and slowdown, and for the whole suite."""
    yield f"{len(processes)} processes, {runs} of them stored, {draws} draws, backend {backend}"
    for factor in FACTORS:
        shares = judged(backend, processes, factor, draws, runs)
        yield f"{factor:.2f}x slower: red {share(shares.red, draws)}"
        yield f"  min:5% of pytest-benchmark: red {share(shares.min_red, draws)}"
        for case, words in shares.words.items():
            said = ", ".join(f"{word} {100 * n / draws:.2f} %" for word, n in words.most_common())
            red = share(words["slower"], draws)
            beside = f"min:5% {100 * shares.min_words[case] / draws:.2f} %"
            yield f"  {case}: red {red}; {said}; {beside}"


def share(found: int, of: int) -> str:
    """Say a share with its exact 95 % interval (Clopper and Pearson)."""
    from scipy.stats import binomtest  # noqa: PLC0415 - only where something is said

    ends = binomtest(found, of).proportion_ci(0.95, method="exact")
    return f"{100 * found / of:.2f} % ({100 * ends.low:.2f} % to {100 * ends.high:.2f} %)"


def parsed() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("do", choices=("record", "judge"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--processes", type=int, default=30)
    parser.add_argument("--cases", type=int, default=len(CASES), help="the first so many")
    parser.add_argument("--draws", type=int, default=10_000)
    parser.add_argument("--stored", type=int, default=5, help="runs of the baseline")
    return parser.parse_args()


def main() -> None:
    """Record or judge."""
    words = parsed()
    if words.do == "record":
        record(words.file, words.backend, words.processes, CASES[: words.cases])
        return
    backend, processes = read(words.file)
    if len(processes) <= MOST:
        raise SystemExit(f"{words.file}: {len(processes)} processes: {MOST + 1} are needed")
    for line in report(backend, processes, words.draws, words.stored):
        print(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
