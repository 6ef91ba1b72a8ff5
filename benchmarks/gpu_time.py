"""Does the product's time for bfloat16 8192^3 agree with the GPU's own time for the same calls?

    python benchmarks/gpu_time.py [SIZE] [ROUNDS]

Needs an NVIDIA GPU, MLX's CUDA backend and PyTorch. In turn, ROUNDS times (5): the product times
`mx.matmul` in its worker, and another process makes the same calls while CUPTI (through
torch.profiler) records the duration of every kernel, takes the slope of wall time between n and
4n operations in submissions of over half a second, and times torch.matmul with CUDA events.
Prints medians and ratios; all figures of one run come from one machine in one condition.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

PIECE = 32
"""Operations handed over at once."""


def product_seconds(size: int) -> float:
    """Let the product time one multiplication."""
    case = f"matmul-bf16-nn-{size}x{size}x{size} check=throughput tf32=on"
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        words = ("--applegpu-case", case, "--applegpu-report-log", str(log), "-q")
        command = [sys.executable, "-m", "pytest", "--pyargs", "pytest_applegpu.suites", *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds: float = json.loads(log.read_text())["time"]["seconds"]
    return seconds


def gpu_seconds(size: int) -> dict[str, float]:
    """Let a process of its own measure the same calls from outside."""
    words = [sys.executable, __file__, "--inside", str(size)]
    said = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(said.stdout.splitlines()[-1])
    return found


def inside(size: int) -> dict[str, float]:
    """Measure in this process: CUPTI, slope, and torch."""
    torch, mx = import_module("torch"), import_module("mlx.core")

    torch.cuda.init()
    a, b = (mx.random.normal((size, size)).astype(mx.bfloat16) for _ in range(2))
    mx.eval(a, b)

    def submit(count: int) -> float:
        # In pieces, since the results of a whole submission would not fit into memory; the
        # queue of the GPU never runs dry in between.
        begin = time.perf_counter()
        for done in range(0, count, PIECE):
            mx.async_eval([mx.matmul(a, b) for _ in range(min(PIECE, count - done))])
        mx.synchronize()
        return time.perf_counter() - begin

    submit(2)
    count = max(2, int(0.6 / (submit(8) / 8)))
    return {
        **kernel_seconds(torch, submit, count),
        "slope": (submit(4 * count) - submit(count)) / (3 * count),
        "torch": torch_seconds(torch, size, count),
    }


def kernel_seconds(torch: Any, submit: Any, count: int) -> dict[str, float]:
    """Return the mean duration of the kernels that one MLX multiplication launches."""
    activity = torch.profiler.ProfilerActivity.CUDA
    with torch.profiler.profile(activities=[activity]) as profile:
        submit(count)
        torch.cuda.synchronize()
    kernels = [
        event
        for event in profile.events()
        if event.device_type == torch.autograd.DeviceType.CUDA and "mem" not in event.name.lower()
    ]
    total = sum(event.device_time for event in kernels) * 1e-6
    for name in sorted({event.name for event in kernels}):
        print("kernel:", name, file=sys.stderr)
    return {"cupti": total / count, "kernels": len(kernels) / count}


def torch_seconds(torch: Any, size: int, count: int) -> float:
    """Time torch.matmul on operands of the same kind with CUDA events."""
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    for _ in range(3):
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
    if sys.argv[1:2] == ["--inside"]:
        print(json.dumps(inside(int(sys.argv[2]))))
        return
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 8192
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(product_seconds(size))
        theirs.append(gpu_seconds(size))
    print(f"bfloat16 {size}^3, medians of {rounds} rounds")
    print(f"product        {1e3 * median(ours):9.4f} ms   all {[round(1e3 * s, 4) for s in ours]}")
    for name in ("cupti", "slope", "torch"):
        other = [found[name] for found in theirs]
        ratio = median(o / t for o, t in zip(ours, other, strict=True)) if all(other) else 0.0
        print(f"{name:14} {1e3 * median(other):9.4f} ms   product / {name} = {ratio:.4f}")
    print(f"kernels a call {median(found['kernels'] for found in theirs):9.2f}")


if __name__ == "__main__":
    main()
