"""Does a case leave a Mac usable while it runs? Its GPU draws the screen, and its memory is shared.

macOS ends command buffers that take long, and draws nothing meanwhile; memory beyond what Metal
recommends is swapped. Both are computed before anything is drawn, from the chip's own figures.
"""

from __future__ import annotations

from math import prod
from typing import Final

from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.room import size_text
from pytest_applegpu.device.detect import Device
from pytest_applegpu.problem import itemsize

LONGEST: Final = 0.5
"""Seconds of predicted GPU time that one submission may take."""

SHARE: Final = 0.5
"""Share of the recommended working set that the arrays of a case may take."""

REACHED: Final = 0.25
"""Share of a chip's peak that every kernel is taken to reach at least."""

SLOWEST: Final = (2.6, 68.0)
"""TFLOP/s and GB/s of a base M1 with seven cores: what an unknown Apple GPU is taken for."""


def unusable(case: Case, device: Device, tflops: float | None, gbs: float | None) -> str | None:
    """Return why a case would make a Mac unusable, with both figures; None where it would not.

    Args:
        case: what is to be run.
        device: the GPU; any but one under Metal is left alone.
        tflops: peak of its arithmetic for the case, in TFLOP/s, None where it is not known.
        gbs: peak of its memory, in GB/s, None where it is not known.
    """
    if device.backend != "metal":
        return None
    return (
        _too_large(case, device.buffer_bytes.value)
        or _too_much(case, device.working_set_bytes.value)
        or _too_long(case, tflops or SLOWEST[0], gbs or SLOWEST[1])
    )


def _too_large(case: Case, most: int | None) -> str | None:
    problem = case.problem
    held = [prod(one.placement.storage) * itemsize(one.dtype) for one in problem.operands]
    largest = max(*held, prod(problem.shape_c) * problem.dtype.itemsize)
    if most is None or largest <= most:
        return None
    return f"an array takes {size_text(largest)}, and a Metal buffer holds {size_text(most)}"


def _too_much(case: Case, recommended: int | None) -> str | None:
    if recommended is None or case.problem.bytes <= SHARE * recommended:
        return None
    half = size_text(int(SHARE * recommended))
    return (
        f"the case takes {size_text(case.problem.bytes)} of the GPU's memory, and half of the "
        f"recommended working set is {half}"
    )


def _too_long(case: Case, tflops: float, gbs: float) -> str | None:
    problem = case.problem
    arithmetic = problem.flops / (REACHED * tflops * 1e12)
    traffic = problem.bytes / (REACHED * gbs * 1e9)
    seconds = max(arithmetic, traffic)
    if seconds <= LONGEST:
        return None
    return (
        f"one product is computed to take {seconds:.3g} s of GPU time, and a submission may take "
        f"{LONGEST} s: macOS ends longer ones"
    )
