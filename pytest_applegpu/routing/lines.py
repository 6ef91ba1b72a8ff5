"""A case as one JSON line, and its route as the same line with the launches filled in."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_applegpu.routing.arrays import Array, Shape
from pytest_applegpu.routing.calls import (
    QQMM,
    AddMM,
    Attention,
    BlockMaskedMM,
    Call,
    GatherMM,
    GatherQMM,
    Matmul,
    Quantized,
    QuantizedMatmul,
    SegmentedMM,
)
from pytest_applegpu.routing.launch import Route
from pytest_applegpu.routing.layouts import operand
from pytest_applegpu.routing.target import Target

Line = Mapping[str, Any]

_LARGEST: Final = sys.float_info.max


def target_of(line: Line) -> Target:
    """Return for whom a line is predicted.

    Raises:
        ValueError: a field is missing or wrong; the message names it.
    """
    return Target(
        arch=_field(line, "arch", str),
        nax=_field(line, "nax", bool),
        tf32=_field(line, "tf32", bool),
        version=_field(line, "mlx", str),
    )


def call_of(line: Line) -> Call:
    """Return what a line asks of MLX.

    Raises:
        ValueError: a field is missing or wrong; the message names it.
    """
    op = _field(line, "op", str)
    if op not in _READERS:
        raise ValueError(f"op: {op!r} is not one of {', '.join(_READERS)}")
    return _READERS[op](line)


def filled(line: Line, route: Route) -> dict[str, Any]:
    """Return the line with `launches` or `error`, `path` and `basis`."""
    said = {name: value for name, value in line.items() if name not in _FILLED}
    if route.error is not None:
        said["error"] = route.error
    else:
        said["launches"] = [launch.as_json() for launch in route.launches]
    if route.unfused is not None:
        said["unfused"] = [route.unfused]
    return said | {"path": route.path, "basis": route.basis}


_FILLED: Final = frozenset({"launches", "error", "path", "basis", "unfused"})


def _field(line: Line, name: str, kind: type) -> Any:
    value = line.get(name)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"{name}: {value!r} is not of type {kind.__name__}")
    return value


def _positive(line: Line, name: str) -> int:
    value: int = _field(line, name, int)
    if value < 1:
        raise ValueError(f"{name}: {value} is not above 0")
    return value


def _shape(line: Line, name: str) -> Shape:
    sizes = _field(line, name, list)
    if not all(type(size) is int and size >= 0 for size in sizes):
        raise ValueError(f"{name}: {sizes!r} is not a list of sizes")
    return tuple(sizes)


def _maybe_shape(line: Line, name: str) -> Shape | None:
    return _shape(line, name) if line.get(name) is not None else None


def _operand(line: Line, name: str, dtype: str | None = None) -> Array:
    shape, dtype = _shape(line, f"{name}_shape"), dtype or _field(line, "dtype", str)
    transpose = bool(line.get(f"transpose_{name}", False))
    try:
        return operand(shape, dtype, line.get(f"{name}_layout"), transpose=transpose)
    except ValueError as error:
        raise ValueError(f"{name}_layout: {error}") from None


def _matmul(line: Line) -> Call:
    return Matmul(_operand(line, "a"), _operand(line, "b"))


def _addmm(line: Line) -> Call:
    a, b, c = (_operand(line, name) for name in "abc")
    return AddMM(a, b, c, _real(line, "alpha"), _real(line, "beta"))


def is_finite(value: object) -> bool:
    """Tell whether a JSON value is a number that MLX's float could be, and JSON could hold."""
    return type(value) in {int, float} and abs(value) <= _LARGEST  # type: ignore[arg-type]


def _real(line: Line, name: str) -> float:
    value = line.get(name, 1.0)
    if not is_finite(value):
        raise ValueError(f"{name}: {str(value)[:40]} is not a finite number")
    return float(value)


def _gather_mm(line: Line) -> Call:
    return GatherMM(_operand(line, "a"), _operand(line, "b"), *_indices(line))


def _indices(line: Line) -> tuple[Shape | None, Shape | None, bool]:
    lhs, rhs = _maybe_shape(line, "lhs_shape"), _maybe_shape(line, "rhs_shape")
    return lhs, rhs, bool(line.get("sorted", False))


def _segmented_mm(line: Line) -> Call:
    segments = _operand(line, "segments", "uint32")
    return SegmentedMM(_operand(line, "a"), _operand(line, "b"), segments)


def _block_masked_mm(line: Line) -> Call:
    masks = (_field(line, name, bool) for name in ("mask_out", "mask_op", "mask_bool"))
    size = _field(line, "block_size", int)
    return BlockMaskedMM(_operand(line, "a"), _operand(line, "b"), size, *masks)


def _weights(line: Line) -> Quantized:
    shape = _shape(line, "w_shape")
    if len(shape) < 2:
        raise ValueError(f"w_shape: {list(shape)!r} has fewer than 2 axes")
    return Quantized(
        shape,
        _positive(line, "group_size"),
        _positive(line, "bits"),
        _field(line, "mode", str),
        _field(line, "transpose", bool),
    )


def _quantized_matmul(line: Line) -> Call:
    return QuantizedMatmul(_operand(line, "x"), _weights(line))


def _gather_qmm(line: Line) -> Call:
    return GatherQMM(_operand(line, "x"), _weights(line), *_indices(line))


def _qqmm(line: Line) -> Call:
    return QQMM(_operand(line, "x"), _weights(line), bool(line.get("w_quantized", False)))


def _sdpa(line: Line) -> Call:
    q, k, v = (_operand(line, name) for name in "qkv")
    return Attention(q, k, v, _field(line, "mask", str), bool(line.get("sinks", False)))


_READERS: Final[dict[str, Callable[[Line], Call]]] = {
    "matmul": _matmul,
    "addmm": _addmm,
    "gather_mm": _gather_mm,
    "segmented_mm": _segmented_mm,
    "block_masked_mm": _block_masked_mm,
    "quantized_matmul": _quantized_matmul,
    "gather_qmm": _gather_qmm,
    "qqmm": _qqmm,
    "sdpa": _sdpa,
}
