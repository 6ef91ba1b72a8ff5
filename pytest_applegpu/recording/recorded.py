"""Which set of shapes did a program multiply? Each call read as a problem, or left out and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pytest_applegpu.recording.attention import attention
from pytest_applegpu.recording.convolution import convolution
from pytest_applegpu.recording.draft import Maker
from pytest_applegpu.recording.packed import gather_qmm, qqmm, quantized_matmul
from pytest_applegpu.recording.picked import gather_mm
from pytest_applegpu.recording.products import addmm, block_masked, lowered, matmul, segmented
from pytest_applegpu.recording.seen import UNENDED, Call, Seen
from pytest_applegpu.shapes.shapes import Left, Shape, ShapeSet, merged

MAKERS: Final[Mapping[str, Maker]] = {
    "matmul": matmul,
    "@": matmul,
    "inner": lowered,
    "einsum": lowered,
    "tensordot": lowered,
    "addmm": addmm,
    "gather_mm": gather_mm,
    "block_masked_mm": block_masked,
    "segmented_mm": segmented,
    "quantized_matmul": quantized_matmul,
    "gather_qmm": gather_qmm,
    "qqmm": qqmm,
    "conv1d": convolution,
    "conv2d": convolution,
    "fast.scaled_dot_product_attention": attention,
}
"""How each function's calls are read."""

KNOWN: Final = (
    "Layouts: transposes, slices and other views were followed from call to call; what any other "
    "function returns is taken to be row-contiguous."
)

WITHIN: Final[Mapping[str, str]] = {
    "compile": "within compile a count is of traces, not of runs",
    "vmap": "within vmap a shape is that of one example",
    "gradient": "within gradient the products of the backward pass are made in MLX, and not seen",
}


def recorded(seen: Seen, name: str, command: str) -> ShapeSet:
    """Return the set of what was seen of `command`."""
    shapes: list[Shape] = []
    left: dict[tuple[str, str], int] = {}
    for call in seen.calls:
        found = _shape(call)
        if isinstance(found, Shape):
            shapes.append(found)
        else:
            key = (str(call), found)
            left[key] = left.get(key, 0) + call.count
    source = "; ".join((f"recorded from `{command}`", *seen.facts))
    gone = tuple(Left(*key, count) for key, count in left.items())
    return ShapeSet(name, source, merged(shapes), gone, _how(seen, shapes))


def _shape(call: Call) -> Shape | str:
    """Return the shape that a call is of, or why there is none."""
    if call.unread:
        return f"its arguments could not be read: {call.unread}"
    make: Callable[[Call], object] | None = MAKERS.get(call.name)
    if make is None:
        return f"{call.name} is no operation of the table"
    try:
        met = MAKERS[call.name](call)
    except ValueError as error:
        return str(error)
    return Shape(met.problem, call.count, within=call.within, note="; ".join(met.notes))


def _how(seen: Seen, shapes: list[Shape]) -> str:
    met = dict.fromkeys(word for one in shapes for word in one.within)
    told = [KNOWN, *(f"Counts: {WITHIN[word]}." for word in met if word in WITHIN)]
    return " ".join([*told, f"Counts: {UNENDED}."] if seen.unended else told)
