"""What does a call look like as a line of the recordings, without launches?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import Any

from pytest_applegpu.lint.subject import OPERATIONS
from pytest_applegpu.routing.arrays import Array
from pytest_applegpu.routing.calls import (
    QQMM,
    AddMM,
    Attention,
    BlockMaskedMM,
    Call,
    GatherMM,
    GatherQMM,
    Quantized,
    QuantizedMatmul,
    SegmentedMM,
)
from pytest_applegpu.routing.layouts import operand
from pytest_applegpu.routing.target import Target

Line = dict[str, Any]


def described(call: Call, target: Target) -> Line:
    """Return the line that asks for `call`.

    An operand that lies in none of the layouts of the recordings has `<name>_strides` and
    `<name>_offset` in place of a layout: such a line says what the call is, and is not read back.
    """
    line: Line = {
        "mlx": target.version,
        "arch": target.arch,
        "nax": target.nax,
        "tf32": target.tf32,
        "op": OPERATIONS[type(call)],
    }
    return line | _operands(call) | _parameters(call)


def _operands(call: Call) -> Line:
    said: Line = {}
    for name in ("x", "a", "b", "c", "q", "k", "v", "segments"):
        array = getattr(call, name, None)
        if isinstance(array, Array):
            said |= {"dtype": array.dtype} if name in {"x", "a", "q"} else {}
            said |= _operand(name, array)
    return said


def _operand(name: str, array: Array) -> Line:
    shape = {f"{name}_shape": list(array.shape)}
    for transpose, word in _layouts(array):
        if _lies(array, word, transpose=transpose):
            layout = {f"{name}_layout": word} if word else {}
            return shape | {f"transpose_{name}": transpose} | layout
    return shape | {f"{name}_strides": list(array.strides), f"{name}_offset": array.offset}


def _lies(array: Array, word: str, *, transpose: bool) -> bool:
    try:
        return operand(array.shape, array.dtype, word or None, transpose=transpose) == array
    except (IndexError, ValueError):
        return False


def _layouts(array: Array) -> Iterator[tuple[bool, str]]:
    """Yield the words to try: whether a transposed view, and the layout of its storage."""
    for transpose in (False, True) if array.ndim > 1 else (False,):
        prefix = "t" if transpose else ""
        yield transpose, ""
        if array.offset:
            yield transpose, f"{prefix}off:{array.offset}"
        if array.ndim > 1:
            rows, columns = array.strides[-2:], array.shape[-2:]
            gap = rows[0] - columns[1] if not transpose else rows[1] - columns[0]
            yield transpose, f"{prefix}pad:{gap}"
        yield transpose, "step"
        yield transpose, f"{prefix}bc"
        if array.ndim > 2:
            yield transpose, "headt"
            yield transpose, "bslice"


@singledispatch
def _parameters(_: Any) -> Line:
    return {}


@_parameters.register
def _(call: AddMM) -> Line:
    return {"alpha": call.alpha, "beta": call.beta}


def _indices(call: GatherMM | GatherQMM) -> Line:
    shapes = {"lhs_shape": call.lhs, "rhs_shape": call.rhs}
    return {name: list(shape) for name, shape in shapes.items() if shape is not None} | {
        "sorted": call.sorted
    }


@_parameters.register
def _(call: GatherMM) -> Line:
    return _indices(call)


@_parameters.register
def _(_: SegmentedMM) -> Line:
    return {}


@_parameters.register
def _(call: BlockMaskedMM) -> Line:
    return {
        "block_size": call.block_size,
        "mask_out": call.mask_out,
        "mask_op": call.mask_operands,
        "mask_bool": call.mask_bool,
    }


def _weights(weights: Quantized) -> Line:
    return {
        "w_shape": list(weights.w),
        "group_size": weights.group_size,
        "bits": weights.bits,
        "mode": weights.mode,
        "transpose": weights.transpose,
    }


@_parameters.register
def _(call: QuantizedMatmul) -> Line:
    return _weights(call.weights)


@_parameters.register
def _(call: GatherQMM) -> Line:
    return _weights(call.weights) | _indices(call)


@_parameters.register
def _(call: QQMM) -> Line:
    return _weights(call.weights) | {"w_quantized": call.quantized}


@_parameters.register
def _(call: Attention) -> Line:
    return {"mask": call.mask, "sinks": call.sinks}
