"""What have others measured on a chip? The table in data/published.csv, each row with its source.

These are references to be shown beside a measurement, never baselines: other builds, other methods.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

OPERATIONS: Final = ("matmul",)
"""Workloads of the table that are operations of ours; the rest is kept for readers."""


@dataclass(frozen=True, slots=True)
class Published:
    """One product: TFLOP/s that somebody published, with what, and where."""

    chip: str
    gpu_cores: int | None
    op: str
    transpose: str
    dtype: str
    shape: tuple[int, int, int]
    tflops: float
    software: str
    nax: str
    source: str
    quality: str


@cache
def published() -> tuple[Published, ...]:
    """Return the products of the table that have plain sizes, rejected rows left out."""
    path = Path(__file__).parent / "data" / "published.csv"
    with path.open(encoding="utf-8", newline="") as file:
        found = [_product(row) for row in csv.DictReader(file)]
    return tuple(one for one in found if one is not None)


def beside(
    chip: str, gpu_cores: int | None, op: str, dtype: str, shape: tuple[int, int, int]
) -> list[Published]:
    """Return what is published of the same chip, operation, format and sizes (M, N, K)."""
    return [
        one
        for one in published()
        if (one.chip, one.op, one.dtype, one.shape) == (chip, op, dtype, shape)
        and one.gpu_cores in {None, gpu_cores}
    ]


def _product(row: dict[str, str]) -> Published | None:
    op, _, transpose = row["workload"].partition(" ")
    sizes = row["shape"].split("x")
    plain = len(sizes) == 3 and all(size.isdigit() for size in sizes)
    if op not in OPERATIONS or not plain or row["quality"].startswith("REJECT"):
        return None
    if transpose not in {"", "nn", "nt"}:
        return None
    m, n, k = map(int, sizes)
    return Published(
        chip=row["chip"],
        gpu_cores=int(row["gpu_cores"]) if row["gpu_cores"] else None,
        op=op,
        transpose=transpose,
        dtype=row["dtype"],
        shape=(m, n, k),
        tflops=_tflops(float(row["value"]), row["unit"], 2 * m * n * k),
        software=row["software"],
        nax=row["nax"],
        source=row["source"],
        quality=row["quality"],
    )


def _tflops(value: float, unit: str, flops: int) -> float:
    """Turn a time in milliseconds into TFLOP/s.

    Raises:
        ValueError: the unit is neither.
    """
    if unit == "TFLOPS":
        return value
    if unit == "ms":
        return flops / (value * 1e-3) / 1e12
    raise ValueError(f"{unit} is not one of TFLOPS, ms")
