"""Calls of `conv1d` and `conv2d`."""

from __future__ import annotations

from math import prod
from typing import Any

from pytest_applegpu.recording.draft import (
    Met,
    NotSaid,
    array,
    matrix,
    notes,
    one_format,
    problem,
)
from pytest_applegpu.recording.seen import Call


def convolution(call: Call) -> Met:
    """Read a convolution of stride 1, one group, and a kernel that is as long along each axis."""
    given, weight = array(call, "input"), array(call, "weight")
    for name in ("stride", "dilation", "groups"):
        if _alike(call, name, 1) != 1:
            raise NotSaid(f"{name} {call.get(name)}")
    taps, pad = set(weight.shape[1:-1]), _alike(call, "padding", 0)
    if len(taps) != 1:
        raise NotSaid(f"a kernel of {' by '.join(map(str, weight.shape[1:-1]))} taps")
    (one,) = taps
    places = [size + 2 * pad - one + 1 for size in given.shape[1:-1]]
    left = matrix("input", given, transposes=False)
    right = matrix("weight", weight, transposes=False)
    said = {"taps": str(one), "pad": str(pad), "input": left.layout, "weight": right.layout}
    if len(places) == 2:
        said["width"] = str(places[-1])
    batch = (given.shape[0],)
    return Met(
        problem(
            call.name,
            one_format(given, weight),
            (prod(places), weight.shape[0], prod(weight.shape[1:])),
            "nt",
            (batch, batch),
            said,
        ),
        notes(left, right),
    )


def _alike(call: Call, name: str, default: int) -> int:
    """Return a number that is the same along each axis.

    Raises:
        NotSaid: it is another one along another axis.
    """
    value: Any = call.get(name, default)
    values = set(value) if isinstance(value, tuple) else {value}
    if len(values) != 1:
        raise NotSaid(f"{name} {list(value)}")
    found: int = values.pop()
    return found
