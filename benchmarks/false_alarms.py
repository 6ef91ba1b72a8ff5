"""How often is a right product called wrong? Seeded random cases through the whole conduct path.

Draws cases of every format, fill, layout, transposition and batch, mostly small, some with a long
K, some larger; runs each as a suite would, and counts the verdicts. None is planted with a fault:
whatever is neither exact nor within is listed with its case, for a person to tell a false alarm
from a fault of MLX. Bounded cases with elements enough are run with another seed too, and each is
held to the other's error as if a baseline held it. OUT gets a line a chunk; a run that is started
again with the same words goes on where it ended.

    python benchmarks/false_alarms.py --backend cpu --cases 100000 --jobs 2 --out alarms-cpu.jsonl
    python benchmarks/false_alarms.py --backend emulated --arch applegpu_g17s --mlx 0.32.4
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import multiprocessing.util
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from itertools import islice
from math import exp, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_applegpu.cases.case import Case
from pytest_applegpu.cases.plan import backend_dtypes, depth
from pytest_applegpu.conduct.creeping import ENOUGH, FLOOR, grown
from pytest_applegpu.conduct.numbers import Numbers, conduct
from pytest_applegpu.conduct.planning import Plan
from pytest_applegpu.conduct.start import start
from pytest_applegpu.config import Config, read_config
from pytest_applegpu.numerics.band import DRIFT
from pytest_applegpu.numerics.bounds import gamma

CHUNK = 200
KINDS = 16
"""Of so many chunks one is of larger sizes and one of long sums; the others are small."""

SMALL, LARGE, LONG = 48, 400, 8192
CLEAN = frozenset({"exact", "within"})
HEAD = ("backend", "arch", "mlx", "dtypes", "tf32", "seed")
"""Options that make a run another one."""

Facts = dict[str, Any]


class Runner:
    """What one process needs to run chunks: workers, and the options."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Start the first worker."""
        self.seed = options.seed
        config = configured(options)
        self.bench = start(config, Plan(config))
        self.other = replace(self.bench, config=replace(config, seed=config.seed + 1))
        self.dtypes = config.dtypes or backend_dtypes(self.bench.backend)

    def cases(self, chunk: int, count: int) -> Iterator[Case]:
        """Draw the cases of a chunk, the same in every run."""
        random = np.random.default_rng([self.seed, chunk])
        settings = self.bench.config.settings
        deepest = LARGE if chunk % KINDS == 0 else SMALL
        drawn = depth("matmul", self.dtypes, deepest, self.seed * 1_000_003 + chunk)
        for problem, fill, check in islice(drawn, count):
            k = int(exp(random.uniform(0, log(LONG)))) if chunk % KINDS == 1 else problem.k
            setting = settings[int(random.integers(len(settings)))]
            yield Case(replace(problem, k=k), fill, check, setting)

    def chunk(self, chunk: int, count: int) -> Facts:
        """Run a chunk and say what came of it."""
        begun = time.perf_counter()
        facts = Tally()
        for case in self.cases(chunk, count):
            found = conduct(case, self.bench)
            facts.add(case, found, self.needed(case, found))
            enough = found.error is not None and (found.error.total or 0) >= ENOUGH
            if case.check == "bounded" and enough and found.verdict == "within":
                facts.pair(case, found, conduct(case, self.other))
        seconds = time.perf_counter() - begun
        return facts.as_json() | {"chunk": chunk, "count": count, "seconds": seconds}

    def needed(self, case: Case, found: Numbers) -> float | None:
        """Return the least lambda whose band the worst element would be within."""
        budget = found.error.budget if found.error else None
        if budget is None or not budget.accumulate or found.error is None:
            return None
        arithmetic = self.bench.arithmetic(case.problem, case.setting)
        terms = arithmetic.terms(case.problem.dtype, case.problem.k)
        used = ((found.error.share or 0.0) - (1 - budget.accumulate)) / budget.accumulate
        unit = arithmetic.accumulator_unit
        drift = 0.0 if arithmetic.to_nearest else DRIFT * terms
        return (used * gamma(terms, unit) / unit - drift) / sqrt(terms)


class Tally:
    """Counts, worst figures by format, setting and fill, and all that is not clean."""

    def __init__(self) -> None:
        """Count nothing yet."""
        self.verdicts: Counter[str] = Counter()
        self.groups: dict[str, list[float]] = {}
        self.listed: list[Facts] = []
        self.bounded = self.pairs = 0

    def add(self, case: Case, found: Numbers, needed: float | None) -> None:
        """Count a case."""
        self.verdicts[found.verdict] += 1
        error = found.error
        if found.verdict not in CLEAN:
            self.listed.append(told(case, found))
        if error is not None and error.budget is not None:
            self.bounded += 1
            figures = (1, error.share or 0.0, error.budget.typical or 0.0, needed or 0.0, 0.0)
            self._worst(case, figures)

    def pair(self, case: Case, first: Numbers, second: Numbers) -> None:
        """Hold each of two right results of one case, of two seeds, to the other."""
        self.pairs += 1
        if second.verdict not in CLEAN:
            self.listed.append(told(case, second) | {"seed": "the next"})
            return
        for now, before in ((first, second), (second, first)):
            if now.error is None or before.error is None or now.error.budget is None:
                continue
            stored, budget = before.error.share or 0.0, now.error.budget
            over = (now.error.share or 0.0) - budget.output - budget.rest
            self._worst(case, (0, 0.0, 0.0, 0.0, over / max(stored, FLOOR)))
            if grown(now.error, stored):
                self.verdicts["creeping against the other seed"] += 1
                self.listed.append(told(case, now) | {"before": stored})

    def _worst(self, case: Case, figures: tuple[float, ...]) -> None:
        name = f"{case.problem.dtype.name} {case.setting} {case.fill}"
        count, *rest = self.groups.get(name, [0.0] * len(figures))
        worst = map(max, rest, figures[1:])
        self.groups[name] = [count + figures[0], *worst]

    def as_json(self) -> Facts:
        """Return all of it as plain JSON values."""
        return {**vars(self), "verdicts": dict(self.verdicts)}


def told(case: Case, found: Numbers) -> Facts:
    """Say what a person needs to look at a case."""
    error = found.error
    return {
        "case": str(case),
        "verdict": found.verdict,
        "share": error.share if error else None,
        "typical": error.budget.typical if error and error.budget else None,
        "cause": (error.cause or error.message) if error else None,
    }


def configured(options: argparse.Namespace) -> Config:
    """Return the configuration of a run with these options, and a process's defaults."""
    said = {name: getattr(options, name) for name in HEAD}
    here = Path.cwd()
    return read_config(lambda one: said.get(one.name), here, here, lambda one: one.short)


_RUNNER: list[Runner] = []


def begin(options: argparse.Namespace) -> None:
    """Start the workers of a process, and end them with it."""
    runner = Runner(options)
    _RUNNER.append(runner)
    multiprocessing.util.Finalize(None, runner.bench.pool.close, exitpriority=10)


def work(chunk: int, count: int, deadline: float) -> Facts | None:
    """Run one chunk in a process, unless it is too late to begin."""
    return None if time.time() > deadline else _RUNNER[0].chunk(chunk, count)


def main() -> None:
    """Run what is not done yet, and print what all of it says."""
    options = parsed()
    head = {name: getattr(options, name) for name in HEAD}
    try:
        Plan(configured(options)).check()
    except pytest.UsageError as error:
        raise SystemExit(str(error)) from None
    done = resumed(options.out, head)
    chunks = [(n, min(CHUNK, options.cases - n * CHUNK)) for n in range(-(-options.cases // CHUNK))]
    left = [(n, count) for n, count in chunks if done.get(n, {}).get("count") != count]
    if left:
        with options.out.open("a", encoding="utf-8") as out:
            for facts in worked(options, left):
                out.write(json.dumps(facts) + "\n")
                out.flush()
                done[facts["chunk"]] = facts
    sys.stdout.write(report(head, [done[n] for n, _ in chunks if n in done]))


def worked(options: argparse.Namespace, left: list[tuple[int, int]]) -> Iterator[Facts]:
    """Run chunks in processes of their own, and yield each as it is done."""
    deadline = time.time() + 60 * options.minutes
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.jobs, context, begin, (options,)) as pool:
        for future in as_completed([pool.submit(work, *asked, deadline) for asked in left]):
            facts = future.result()
            if facts is not None:
                yield facts


def parsed() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--backend", default="cpu", help="cpu, cuda, metal or emulated")
    parser.add_argument("--arch", help="architecture to emulate")
    parser.add_argument("--mlx", help="MLX to emulate")
    parser.add_argument("--dtypes", help="formats, joined by commas (default: all)")
    parser.add_argument("--tf32", help="on, off or both (default)")
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin nothing after so many")
    parser.add_argument("--out", type=Path, default=Path("false-alarms.jsonl"))
    return parser.parse_args()


def resumed(path: Path, head: Facts) -> dict[int, Facts]:
    """Return the chunks that an earlier run has done; begin the file if there is none.

    Raises:
        SystemExit: the file is of other options.
    """
    if not path.exists():
        path.write_text(json.dumps(head) + "\n", "utf-8")
        return {}
    first, *lines = path.read_text("utf-8").splitlines()
    if json.loads(first) != head:
        raise SystemExit(f"--out: {path} is of another run: {first}")
    return {facts["chunk"]: facts for facts in map(json.loads, lines)}


def report(head: Facts, done: list[Facts]) -> str:
    """Say in words and a table what all chunks found."""
    verdicts: Counter[str] = Counter()
    groups: dict[str, list[float]] = {}
    for facts in done:
        verdicts.update(facts["verdicts"])
        for name, (count, *worst) in facts["groups"].items():
            before = groups.get(name, [0.0] * (1 + len(worst)))
            groups[name] = [before[0] + count, *map(max, before[1:], worst)]
    bounded, pairs, seconds = (sum(f[n] for f in done) for n in ("bounded", "pairs", "seconds"))
    listed = [one for facts in done for one in facts["listed"]]
    causes = Counter(f"{one['verdict']}: {one['cause']}" for one in listed)
    over = sum(one["verdict"] == "over" and one["typical"] is not None for one in listed)
    crept = verdicts.pop("creeping against the other seed", 0)
    cases = verdicts.total()
    headings = " ".join(f"{word:>7}" for word in ("cases", "share", "band", "lambda", "growth"))
    counts = f"{cases} cases, {bounded} of them bounded, {pairs} again with another seed"
    lines = [
        f"{head}",
        f"{counts}; {seconds:.0f} s of processes",
        ", ".join(f"{count} {word}" for word, count in verdicts.most_common()),
        f"over: {rate(verdicts['over'], cases)}",
        f"over among bounded cases: {rate(over, bounded)}",
        f"creeping by the band: {rate(verdicts['creeping'], bounded)}",
        f"creeping against the other seed: {rate(crept, 2 * pairs)}",
        "",
        f"{'format, setting, fill':50} {headings}",
        *(
            f"{name:50} {figures[0]:7.0f} " + " ".join(f"{figure:7.3g}" for figure in figures[1:])
            for name, figures in sorted(groups.items())
        ),
        "",
        *(f"{count} {cause}" for cause, count in causes.most_common()),
        *map(json.dumps, listed),
    ]
    return "\n".join(lines) + "\n"


def rate(found: int, n: int) -> str:
    """Say how many of n, and the upper limit of the rate at 95 %: 3/n where there are none."""
    if not n:
        return "none tried"
    if not found:
        return f"0 of {n}, upper limit at 95 % 3/n = {3 / n:.2g}"
    from scipy.stats import beta  # noqa: PLC0415 - only where something is found

    return f"{found} of {n}, upper limit at 95 % {beta.ppf(0.95, found + 1, n - found):.2g}"


if __name__ == "__main__":
    main()
