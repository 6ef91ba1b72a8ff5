"""Has this machine the memory that a case takes? Computed before anything is drawn.

A case that does not fit would not fail: it would swap until the machine stands still.
"""

from __future__ import annotations

import os
from math import prod
from typing import Final

from pytest_applegpu.cases.case import Case
from pytest_applegpu.problem import Problem

_WIDE: Final = 8
"""Bytes of a number while operands are drawn and results are judged: float64."""

_COPIES: Final = 3
"""An operand, or a result, lies in the parent, in shared memory and in MLX."""

_JUDGED: Final = 5
"""Wide arrays of the result's size that a check holds: exact, rounded, allowed, error, got."""

_SPARING: Final = frozenset({"projection", "throughput"})
"""Checks that need no wide copy of a whole operand or result."""

_UNITS: Final = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"))


def lack(case: Case, memory: int | None, device: int | None = None) -> str | None:
    """Return why a case cannot be run here, with both figures; None if it can, or none are known.

    Args:
        case: what is to be run.
        memory: bytes of this machine's memory.
        device: bytes of a GPU's own memory, where it has some.
    """
    need = host_bytes(case)
    if memory is not None and need > memory:
        both = size_text(need), size_text(memory)
        return f"the case takes {both[0]} of memory, and this machine has {both[1]}"
    held = case.problem.bytes
    if device is not None and held > device:
        return f"the case takes {size_text(held)} of the GPU's memory, which is {size_text(device)}"
    return None


def host_bytes(case: Case) -> int:
    """Return the bytes that drawing, running and judging a case take together at the most."""
    problem = case.problem
    stored = sum(prod(one.placement.storage) for one in problem.operands)
    result = prod(problem.shape_c)
    sparing = case.check in _SPARING
    wide = _WIDE * (2 if problem.dtype.is_complex else 1)
    copies = _COPIES * problem.dtype.itemsize
    drawn = stored * (copies + wide * (1 if sparing else 2))
    if case.check != "throughput":
        drawn += _picked(problem) * wide * 2
    return drawn + result * (copies + (0 if sparing else wide * _JUDGED))


def _picked(problem: Problem) -> int:
    """Return the numbers of all matrices that are picked, each as often as it is."""
    if "by" not in problem.form.params:
        return 0
    return prod(problem.batch) * problem.k * (problem.m + problem.n)


def machine_memory() -> int | None:
    """Return the bytes of memory that this machine has, None where the system does not say."""
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return None
    return pages * size if pages > 0 and size > 0 else None


def size_text(count: int) -> str:
    """Write a number of bytes, however large, rounded to three digits."""
    if count >= 10**18:
        return f"10**{len(str(count)) - 1} bytes and more"
    for scale, unit in _UNITS:
        if count >= scale:
            return f"{count / scale:.3g} {unit}"
    return f"{count} bytes"
