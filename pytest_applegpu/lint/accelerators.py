"""Are there neural accelerators that a tiled product could use, and does not?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_applegpu.lint.extents import Extent
from pytest_applegpu.lint.subject import Fault, Subject
from pytest_applegpu.routing.launch import Launch

LEAST_SIDE: Final = 16
"""M, N and K below which vector kernels do as well."""

MANY_ROWS: Final = 64
"""Rows from which on a vector kernel, reading the weights anew for a few each, is out of place."""

_VECTORS: Final = ("qmv", "qvm", "gather_qmv", "gather_qvm")


def unused(subject: Subject) -> Iterator[Fault]:
    """Yield tiled SIMD kernels, and vector kernels for many rows, on a GPU with accelerators."""
    if not subject.target.nax or (subject.dtype == "float32" and not subject.target.tf32):
        return
    for launch, sizes in subject.multiplied:
        on_nax = "nax" in launch.kernel or "nax" in launch.label
        if on_nax or min(sizes.m, sizes.n, sizes.k) < LEAST_SIDE:
            continue
        if _tiled(launch) or _many_rows(launch, sizes):
            values = f"M {sizes.m}, N {sizes.n}, K {sizes.k}"
            yield Fault(_family(subject, launch), f"{launch.kernel} runs for {values}")


def _tiled(launch: Launch) -> bool:
    return launch.tile is not None


def _many_rows(launch: Launch, sizes: Extent) -> bool:
    return launch.label.startswith(_VECTORS) and sizes.m >= MANY_ROWS


def _family(subject: Subject, launch: Launch) -> str:
    """Return the kernel's label, and of quantized weights their kind, which decides."""
    weights = getattr(subject.call, "weights", None)
    if weights is not None:
        return f"{launch.label} {'affine' if weights.mode == 'affine' else 'fp'}"
    return f"{launch.label} complex64" if subject.dtype == "complex64" else launch.label
