"""What does the projection check cost, and does it find every single wrong element?

Draws float32 integers of 4096 x 4096 x 4096, times NumPy's float64 product and the projection
check (proof included) side by side for several rounds, and prints the ratio of the medians. Then
plants faults one at a time, each in one element, and counts those found at the right place.

    python benchmarks/projection.py
    python benchmarks/projection.py --size 1024 --rounds 3 --planted 100
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.numerics.projection import project
from pytest_applegpu.numerics.rounding import Array
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.problem import Problem

FAULTS: dict[str, Callable[[np.float32], np.float32]] = {
    "one more": lambda value: np.float32(value + 1),
    "one less": lambda value: np.float32(value - 1),
    "next number up": lambda value: np.nextafter(value, np.float32(np.inf)),
    "next number down": lambda value: np.nextafter(value, np.float32(-np.inf)),
    "sign": lambda value: np.float32(-value),
    "zero": lambda _: np.float32(0),
    "largest number": lambda _: np.finfo(np.float32).max,
    "smallest number": lambda _: np.finfo(np.float32).smallest_subnormal,
    "NaN": lambda _: np.float32(np.nan),
    "Inf": lambda _: np.float32(np.inf),
}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--planted", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    size = options.size
    problem = Problem("matmul", DTYPES["float32"], size, size, size)
    A, B = draw(problem, "integer", 24, rng).sent
    print(f"{options.size}^3 float32 integers, {os.cpu_count()} cores, NumPy {np.__version__}")
    C = compare_times(A, B, options.rounds, rng)
    found = sum(finds(A, B, C, number, rng) for number in range(options.planted))
    print(f"planted {options.planted} single wrong elements, found {found} in their place")


def compare_times(A: Array, B: Array, rounds: int, rng: np.random.Generator) -> Array:
    """Time product and check in turn, print them, and return the product in float32."""
    wide = A.astype(np.float64), B.astype(np.float64)
    C = (wide[0] @ wide[1]).astype(np.float32)
    product, check = [], []
    for _ in range(rounds):
        start = time.perf_counter()
        wide[0] @ wide[1]
        middle = time.perf_counter()
        verdict = project(A, B, C, rng).verdict
        product.append(middle - start)
        check.append(time.perf_counter() - middle)
        if verdict != "exact":
            raise SystemExit(f"a right product was judged {verdict}")
    ratio = median(product) / median(check)
    print(f"float64 product   {median(product) * 1e3:8.1f} ms  (median of {rounds})")
    print(f"projection check  {median(check) * 1e3:8.1f} ms  1/{ratio:.1f} of it")
    return C


def finds(A: Array, B: Array, C: Array, number: int, rng: np.random.Generator) -> bool:
    """Plant one fault, check, take it out again, and say whether it was found in its place."""
    place = int(rng.integers(C.shape[0])), int(rng.integers(C.shape[1]))
    fault = list(FAULTS.values())[number % len(FAULTS)]
    right = C[place]
    C[place] = fault(right)
    finding = project(A, B, C, rng)
    C[place] = right
    return finding.verdict == "over" and finding.wrong == 1 and finding.worst == place


if __name__ == "__main__":
    main()
