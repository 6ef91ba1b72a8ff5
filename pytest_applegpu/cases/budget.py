"""What a case costs, computed and never measured, so that a run's list depends on no clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_applegpu.problem import Problem


@dataclass(frozen=True, slots=True)
class Rates:
    """Operations and bytes a second that a backend is sure to make, and seconds a case costs."""

    flops: float
    bytes: float
    constant: float


RATES: Final = {
    # MLX's CPU backend calls a reference BLAS on Linux.
    "cpu": Rates(2e9, 2e9, 0.01),
    # A base M1 in float32, at half of its peak.
    "metal": Rates(1e12, 3e10, 0.01),
    "cuda": Rates(1e13, 5e11, 0.01),
    # NumPy on one core, one rounded step along K after another.
    "emulated": Rates(1e9, 4e8, 0.01),
}

REFERENCE: Final = Rates(1e10, 1e9, 0.0)
"""NumPy in float64 on the host, twice: the product and the product of absolute values."""

TIERS: Final = {"smoke": 64.0, "standard": 290.0, "exhaustive": 7200.0}
"""Seconds of computed cost that the numeric cases of a tier may add up to, all operations."""

SHARES: Final = {
    "matmul": 0.45,
    "addmm": 0.075,
    "gather_mm": 0.055,
    "block_masked_mm": 0.055,
    "segmented_mm": 0.045,
    "quantized_matmul": 0.07,
    "gather_qmm": 0.05,
    "sdpa": 0.055,
    "conv1d": 0.01,
    "conv2d": 0.01,
    "quantize": 0.02,
    "dequantize": 0.025,
    "qqmm": 0.02,
    "linear": 0.018,
    "quantized_linear": 0.026,
    "multi_head_attention": 0.016,
}
"""Each operation's share of a tier."""


def budget_of(op: str, tier: str) -> float:
    """Return the seconds of computed cost that the numeric cases of `op` may add up to."""
    return TIERS[tier] * SHARES[op]


def cost(problem: Problem, backend: str, *, referenced: bool = True, calls: int = 1) -> float:
    """Return the seconds that `problem` is computed to take on `backend`, reference included."""
    rates = RATES[backend]
    # A complex multiply-add is four real ones, and reuses what it has loaded.
    flops = problem.flops / 2 if problem.dtype.is_complex else problem.flops
    own = flops / rates.flops + problem.bytes / rates.bytes
    checking = 2 * problem.flops / REFERENCE.flops if referenced else 0.0
    return rates.constant + calls * own + checking + problem.bytes / REFERENCE.bytes
