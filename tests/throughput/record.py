"""Record the samples under `recorded/`: run `python tests/throughput/record.py` on a quiet machine.

An operation is a number of NumPy float32 products of one size, on one BLAS thread: 10 of them,
or 13 and 30 for a program that does 1.3 and 3 times the work. Every run is a process of its own,
as a worker is. `loaded` runs beside two processes that multiply large matrices without pause.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from pytest_applegpu.throughput.plan import next_count, rounds

FOLDER = Path(__file__).parent / "recorded"
PAIRS = 16
TARGET_SECONDS = 0.02
BUSY = "import numpy as np; a = np.ones((1500, 1500), 'f4')\nwhile True: a @ a"


def measure(size: int, products: int) -> dict[str, list[int] | list[float]]:
    """Time square products in this process: counts and wall seconds, in the order taken."""
    generator = np.random.default_rng(size)
    a, b = (generator.standard_normal((size, size), np.float32) for _ in range(2))

    def submit(count: int) -> float:
        start = perf_counter()
        for _ in range(count * products):
            a @ b
        return perf_counter() - start

    submit(1)
    n, grown = 1, next_count(1, submit(1), TARGET_SECONDS, 1000)
    while grown is not None:
        n, grown = grown, next_count(grown, submit(grown), TARGET_SECONDS, 1000)
    counts = rounds(n, PAIRS)
    return {"counts": counts, "seconds": [float(f"{submit(count):.6g}") for count in counts]}


def fresh(size: int, products: int) -> Any:
    """Do the same in a process of its own."""
    command = [sys.executable, __file__, str(size), str(products)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def record(name: str, size: int, products: int, busy: int, runs: int) -> None:
    """Write one situation's file."""
    with ExitStack() as stack:
        for _ in range(busy):
            process = subprocess.Popen([sys.executable, "-c", BUSY])
            stack.callback(process.wait)
            stack.callback(process.kill)
        samples = [fresh(size, products) for _ in range(runs)]
    facts = {
        "how": f"{products} float32 products {size}x{size}x{size} an operation, one BLAS thread, "
        f"{busy} busy processes beside it; one process a run; tests/throughput/record.py",
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
        f"virtual; NumPy {np.__version__}, Python {platform.python_version()}",
        "runs": samples,
    }
    lines = json.dumps(facts, indent=1).replace("\n    ", " ").replace("\n   ]", " ]")
    (FOLDER / f"{name}.json").write_text(lines + "\n", encoding="utf-8")


def main() -> None:
    """Record every situation, or time one run where a size and a number of products are given."""
    if len(sys.argv) > 1:
        json.dump(measure(int(sys.argv[1]), int(sys.argv[2])), sys.stdout)
        return
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for size in (256, 512):
        for state, busy in (("quiet", 0), ("loaded", 2)):
            for word, products in (("base", 10), ("1.3x", 13), ("3x", 30)):
                runs = 6 if word == "base" else 3
                record(f"{size}-{state}-{word}", size, products, busy, runs)


if __name__ == "__main__":
    main()
