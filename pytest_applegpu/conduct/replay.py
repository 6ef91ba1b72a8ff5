"""How do pytest-benchmark's tables, JSON and histograms get the times that workers measured?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_applegpu.report.records import Record

_replayed = 0.0


def worker_seconds() -> float:
    """Clock for pytest-benchmark: the seconds that workers measured, and nothing else."""
    return _replayed


def replay(benchmark: Any, record: Record) -> None:
    """Let pytest-benchmark see each measured sample as one round of its own."""
    time = record.time
    samples: Sequence[float] = () if time is None else time.samples or (time.seconds,)
    left = iter(samples)

    def operation() -> None:
        global _replayed  # noqa: PLW0603 - a clock has a state
        _replayed += next(left, 0.0)

    if time is None:
        # Nothing was measured, and pytest-benchmark is to keep nothing.
        benchmark.disabled = True
    else:
        facts = {"case": record.case, "verdict": record.verdict, "tflops": time.tflops}
        benchmark.extra_info.update(facts, gbs=time.gbs, device=record.device, mlx=record.mlx)
    benchmark.pedantic(operation, rounds=max(1, len(samples)), iterations=1)
