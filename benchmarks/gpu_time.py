"""Does the product's time for bfloat16 8192^3 agree with the GPU's own time for the same calls?

    python benchmarks/gpu_time.py [SIZE] [ROUNDS]

Needs an NVIDIA GPU, MLX's CUDA backend and PyTorch. In each of ROUNDS rounds (5) the product times
`mx.matmul` in its worker while CUPTI, through torch.profiler in that very worker, records when
every kernel began and how long it took; then torch.matmul is timed with CUDA events, in a process
of its own.
Prints each round, then medians and the ratio of each round. The product's figure, the kernels' (the
median duration) and the busy time (how long any kernel ran, by the number of operations: less than
the duration where kernels overlap) come from the same calls.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

HOOK = Path(__file__).with_name("profiled")


class Round(NamedTuple):
    """Seconds of one operation: as the product says, its kernel, the GPU's busy time, torch's."""

    product: float
    kernels: float
    busy: float
    torch: float
    names: Counter[str]


def one_round(size: int) -> Round:
    """Time once with CUPTI watching, then torch."""
    case = f"matmul-bf16-nn-{size}x{size}x{size} check=throughput tf32=on"
    with tempfile.TemporaryDirectory() as folder:
        log, target = Path(folder, "log.jsonl"), Path(folder, "kernels.json")
        paths = os.pathsep.join(filter(None, (str(HOOK), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, "PYTHONPATH": paths, "APPLEGPU_KERNELS": str(target)}
        words = ("--applegpu-case", case, "--applegpu-report-log", str(log), "--benchmark-disable")
        command = [sys.executable, "-m", "pytest", "--pyargs", "pytest_applegpu.suites", *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        time = json.loads(log.read_text())["time"]
        kernels = json.loads(target.read_text())
    measured = kernels[-measured_operations(time) :]
    took = median(duration for _, _, duration in measured)
    busy = busy_seconds([(start, duration) for _, start, duration in measured]) / len(measured)
    names = Counter(str(name) for name, _, _ in measured)
    return Round(time["seconds"], took, busy, torch_seconds(size), names)


def busy_seconds(runs: list[tuple[float, float]]) -> float:
    """Return for how long at least one of the runs (start, duration) was under way."""
    busy, until = 0.0, float("-inf")
    for start, duration in sorted(runs):
        busy += max(0.0, start + duration - max(start, until))
        until = max(until, start + duration)
    return busy


def measured_operations(time: dict[str, Any]) -> int:
    """Return how many operations the pairs of n and 2n hold: they are the last ones recorded."""
    return 3 * int(time["count"]) * int(time["pairs"])


def torch_seconds(size: int) -> float:
    """Time torch.matmul on operands of the same kind, in a process of its own."""
    words = [sys.executable, __file__, "--torch", str(size)]
    said = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    return float(said.stdout.splitlines()[-1])


def torch_inside(size: int, count: int = 400) -> float:
    """Return the mean seconds of torch.matmul by CUDA events."""
    torch: Any = import_module("torch")
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    for _ in range(20):
        torch.matmul(a, b)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(count):
        torch.matmul(a, b)
    end.record()
    torch.cuda.synchronize()
    return float(begin.elapsed_time(end)) * 1e-3 / count


def main() -> None:
    """Measure in turn and print."""
    if sys.argv[1:2] == ["--torch"]:
        print(torch_inside(int(sys.argv[2])))
        return
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 8192
    rounds = []
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 5):
        rounds.append(one_round(size))
        print(*(f"{1e3 * time:.4f}" for time in rounds[-1][:4]), "ms", flush=True)
    print(f"bfloat16 {size}^3, {len(rounds)} rounds, medians")
    for name in ("product", "kernels", "busy", "torch"):
        print(f"{name:8} {1e3 * median(getattr(one, name) for one in rounds):9.4f} ms")
    for name in ("kernels", "busy", "torch"):
        ratios = [one.product / getattr(one, name) for one in rounds]
        each = ", ".join(f"{ratio:.4f}" for ratio in ratios)
        print(f"product / {name}: {median(ratios):.4f} (rounds: {each})")
    for name, count in sum((one.names for one in rounds), Counter()).most_common(5):
        print(f"{count:7} x {name}")


if __name__ == "__main__":
    main()
