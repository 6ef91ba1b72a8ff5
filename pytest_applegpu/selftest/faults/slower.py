"""A library that is slower and nothing else: `slower_by_10_percent`, or of one size alone.

`slower_by_10_percent:192x192x192` slows products of M x N x K. It stands in no table of faults, as
no result is wrong: the processor is kept busy after a submission, for that share of the time it
took, so that the noise of the machine is that of an operation which takes so much longer.
"""

from __future__ import annotations

import re
from time import perf_counter
from typing import Any

NAME = re.compile(r"slower_by_(\d{1,4})_percent(?::(\d+)x(\d+)x(\d+))?", re.ASCII)

_PERCENT = 100


class _Slower:
    """Stands in front of what a submission goes through."""

    def __init__(self, core: Any, share: float, sizes: tuple[int, ...]) -> None:
        self.share, self.sizes = share, sizes
        self.matmul, self.hand_over, self.wait = core.matmul, core.async_eval, core.synchronize
        self.begun: float | None = None
        self.met = not sizes

    def product(self, a: Any, b: Any, **more: Any) -> Any:
        """Multiply, and see whether this is a size that is slow."""
        if self.sizes and a.ndim > 1 and b.ndim > 1:
            self.met = (a.shape[-2], b.shape[-1], a.shape[-1]) == self.sizes
        return self.matmul(a, b, **more)

    def async_eval(self, *arrays: Any) -> Any:
        """Hand work over; the first time since the last wait is when it began."""
        if self.begun is None:
            self.begun = perf_counter()
        return self.hand_over(*arrays)

    def synchronize(self, *streams: Any) -> Any:
        """Wait for the work, and then for its share of the time."""
        done = self.wait(*streams)
        now, begun, self.begun = perf_counter(), self.begun, None
        if self.met and begun is not None:
            until = now + self.share * (now - begun)
            while perf_counter() < until:
                pass
        return done


def plant(core: Any, name: str) -> bool:
    """Make the library `core` slower if `name` says so; tell whether it does."""
    said = NAME.fullmatch(name)
    if said is None:
        return False
    percent, *sizes = said.groups()
    slower = _Slower(core, int(percent) / _PERCENT, tuple(int(one) for one in sizes if one))
    core.matmul = slower.product
    core.async_eval = slower.async_eval
    core.synchronize = slower.synchronize
    return True
