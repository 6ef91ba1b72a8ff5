"""How many of the self-test's faults do MLX's own matrix-product tests notice?

    git clone --depth 1 --branch v0.32.1 https://github.com/ml-explore/mlx
    python benchmarks/mlx_own_tests.py mlx/python/tests --out mlx-own-tests.json
    applegpu selftest --json > selftest.json
    python benchmarks/mlx_own_tests.py --table mlx-own-tests.json selftest.json

Each fault is planted as `applegpu selftest` plants it, in a process that runs MLX's `test_blas.py`.
A fault counts as caught when a test fails or errs that does not under the fault `none` (whose
results go through NumPy, so that tests of gradients fail), or when the process ends by a signal, by
itself, or takes ten times as long. What is in the file already is not run
again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from tabulate import tabulate

from pytest_applegpu.selftest.faults import FAULTS, NONE
from pytest_applegpu.selftest.run import environment

TESTS: Final = "test_blas.py"

SLOWER: Final = 10
"""How many times as long as without a fault a run may take before it counts as hung."""

_FAILED: Final = re.compile(r"^(?:FAIL|ERROR): (\w+)", re.MULTILINE)


def run(folder: Path, fault: str, limit: float) -> dict[str, Any]:
    """Run MLX's tests with `fault` planted; return how they ended, and which failed."""
    planted = environment(os.environ, fault, "cpu") | {"APPLEGPU_SELFTEST_PROGRAM": TESTS}
    began = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, TESTS],
            cwd=folder,
            env=planted,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"ended": "timed out", "failed": [], "seconds": limit}
    ended = f"signal {-done.returncode}" if done.returncode < 0 else f"status {done.returncode}"
    failed = sorted(set(_FAILED.findall(done.stderr)))
    return {"ended": ended, "failed": failed, "seconds": time.monotonic() - began}


def measure(folder: Path, out: Path) -> None:
    """Run MLX's tests under every fault that `out` does not have yet."""
    found: dict[str, Any] = json.loads(out.read_text("utf-8")) if out.exists() else {}
    for fault in dict.fromkeys((NONE, *FAULTS)):
        if fault not in found:
            limit = SLOWER * found[NONE]["seconds"] if NONE in found else 3600.0
            found[fault] = run(folder, fault, limit)
            out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
            print(fault, found[fault], flush=True)


def caught(found: dict[str, Any], fault: str) -> bool:
    """Tell whether a run failed a test that the one without a fault does not, or was cut short."""
    clean, spoilt = found[NONE], found[fault]
    cut_short = spoilt["ended"] not in {"status 0", "status 1"}
    return cut_short or bool(set(spoilt["failed"]) - set(clean["failed"]))


def table(theirs: dict[str, Any], ours: list[dict[str, Any]]) -> str:
    """Return the two side by side, a row a fault, and the totals."""
    rows = []
    for row in ours:
        if row["fault"] in theirs and row["fault"] != NONE:
            failed = set(theirs[row["fault"]]["failed"]) - set(theirs[NONE]["failed"])
            said = f"caught ({len(failed)} tests)" if failed else theirs[row["fault"]]["ended"]
            other = said if caught(theirs, row["fault"]) else "missed"
            rows.append((row["fault"], row["group"], row["breaks"], other, row["result"]))
    counts = [sum(not str(row[n]).startswith("missed") for row in rows) for n in (3, 4)]
    head = ("fault", "group", "breaks", "MLX's test_blas.py", "this suite")
    drawn = tabulate(rows, head, tablefmt="github", disable_numparse=True)
    return f"{drawn}\n\ncaught of {len(rows)}: test_blas.py {counts[0]}, this suite {counts[1]}"


def main() -> None:
    """Run, or print the table of what was run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tests", type=Path, nargs="?", help="folder of MLX's tests")
    parser.add_argument("--out", type=Path, default=Path("mlx-own-tests.json"))
    parser.add_argument("--table", type=Path, nargs=2, metavar=("THEIRS", "OURS"))
    chosen = parser.parse_args()
    if chosen.table:
        theirs, ours = (json.loads(path.read_text("utf-8")) for path in chosen.table)
        print(table(theirs, ours))
    elif chosen.tests and (chosen.tests / TESTS).is_file():
        measure(chosen.tests, chosen.out)
    else:
        parser.error(f"name the folder that holds MLX's {TESTS}")


if __name__ == "__main__":
    main()
