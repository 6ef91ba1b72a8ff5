"""Record the rounds under `recorded_rounds/`: run `python tests/throughput/record_rounds.py`.

Two live workers of MLX's CPU backend take turns, A B B A, at products of 1 to 2 ms, 200 rounds a
measurement, each with fresh workers on both sides. In `same` nothing differs; in `5-percent` and
`10-percent` one side is kept busy for that share of the time: see `selftest/faults/slower.py`.
Times are kept in units of 0.1 us, four a round, in the order taken, with who began.
The files that are kept were recorded while other programs ran beside for a part of the time, which
their spread shows.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np

from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.selftest.run import PLANTED
from pytest_applegpu.setting import SIDE_VARIABLE, Setting
from pytest_applegpu.throughput.abba import beginners, turns
from pytest_applegpu.worker.pool import Pool

FOLDER = Path(__file__).parent / "recorded_rounds"
CASE = "matmul-f32-nt-112x112x112 check=throughput"
ROUNDS, WARM, COUNT, LIMIT = 200, 6, 2, 60.0
UNIT = 1e-7


def pool(side: str, fault: str) -> Pool:
    """Return the workers of one side, this one with the fault."""
    planted = {
        "PYTHONPATH": str(PLANTED),
        "APPLEGPU_SELFTEST_FAULT": fault,
        "APPLEGPU_SELFTEST_PROGRAM": "serve.py",
        "APPLEGPU_SELFTEST_LIBRARY": "mlx.core",
        "APPLEGPU_SELFTEST_SIDE": "this",
        SIDE_VARIABLE: side,
    }
    return Pool(sys.executable, "cpu", os.environ | (planted if fault else {}))


def measure(fault: str, seed: int) -> dict[str, Any]:
    """Take the rounds of one measurement."""
    (case,) = parse_cases(CASE, [Setting("off")])
    random = np.random.default_rng(seed)
    sizes = ((case.problem.m, case.problem.k), (case.problem.k, case.problem.n))
    operands = [random.standard_normal(size).astype(np.float32) for size in sizes]
    with pool("this", fault) as this, pool("other", fault) as other:
        for one in (this, other):
            one.prepare(case.problem, case.setting, operands, copies=4, limit=LIMIT)
            one.time(case.setting, [1, 1, COUNT, COUNT], piece=1, limit=LIMIT)

        def taken(begins: bool) -> list[int]:
            found: list[float] = []
            for side, submissions in turns(begins):
                worker, counts = (this if side else other), [COUNT] * submissions
                seconds = worker.time(case.setting, counts, piece=1, limit=LIMIT)
                assert isinstance(seconds, list)
                found += seconds
            return [round(one / UNIT) for one in found]

        begun = beginners(WARM + ROUNDS, random)
        rounds = [[int(begins), *taken(begins)] for begins in begun]
    return {"count": COUNT, "rounds": rounds[WARM:]}


def main() -> None:
    """Record every situation."""
    FOLDER.mkdir(exist_ok=True)
    for name, fault, times in (
        ("same", "", 10),
        ("5-percent", "slower_by_5_percent", 4),
        ("10-percent", "slower_by_10_percent", 3),
    ):
        facts = {
            "how": f"{CASE}, {COUNT} operations a submission, {ROUNDS} rounds of A B B A, fresh "
            "workers each time; tests/throughput/record_rounds.py",
            "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
            f"virtual; Python {platform.python_version()}",
            "measurements": [measure(fault, seed) for seed in range(times)],
        }
        (FOLDER / f"{name}.json").write_text(json.dumps(facts, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
