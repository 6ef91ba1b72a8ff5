"""Attention calls for tests, and what is written down for them."""

from __future__ import annotations

from dataclasses import replace

from pytest_applegpu.routing.arrays import Array, dense
from pytest_applegpu.routing.attention.operation import attention
from pytest_applegpu.routing.attention.sizes import Sizes
from pytest_applegpu.routing.calls import Attention
from pytest_applegpu.routing.launch import Launch, Tape
from pytest_applegpu.routing.target import Target

CALL = Sizes(
    batch=1,
    heads=8,
    key_heads=8,
    L=1,
    S=128,
    D=64,
    DV=64,
    dtype="float16",
    mask="",
    sinks=False,
)
"""One query row on 128 keys."""


def sized(**changes: object) -> Sizes:
    """Return the sizes of `CALL` with changes; `D` alone sets both head dimensions."""
    if "D" in changes and "DV" not in changes:
        changes["DV"] = changes["D"]
    return replace(CALL, **changes)  # type: ignore[arg-type]  # fields by name


def call_of(size: Sizes) -> Attention:
    """Return the call on dense operands."""
    q = dense((size.batch, size.heads, size.L, size.D), size.dtype)
    k = dense((size.batch, size.key_heads, size.S, size.D), size.dtype)
    v = dense((size.batch, size.key_heads, size.S, size.DV), size.dtype)
    return Attention(q, k, v, size.mask, size.sinks)


def target(
    arch: str = "applegpu_g16g", version: str = "0.32.4", *, nax: bool = False, tf32: bool = True
) -> Target:
    """Return a target without accelerators unless said."""
    return Target(arch, nax, tf32, version)


NAX = target("applegpu_g17g", nax=True)


def written(call: Attention, on: Target) -> Tape:
    """Return the tape of a call."""
    tape = Tape()
    attention(call, on, tape)
    return tape


def launches(on: Target, **changes: object) -> list[Launch]:
    """Return the launches of a call on dense operands."""
    return written(call_of(sized(**changes)), on).launches


def kernels(on: Target, **changes: object) -> list[str]:
    """Return the names of the kernels of a call on dense operands."""
    return [launch.kernel for launch in launches(on, **changes)]


def heads_last(array: Array) -> Array:
    """Return the view whose heads lie beside each other for each row."""
    batch, heads, rows, dim = array.shape
    stored = dense((batch, rows, heads, dim), array.dtype).strides
    return replace(array, strides=(stored[0], stored[2], stored[1], stored[3]))
