"""Which fields has a case of each operation, and what is in those that are not said?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_applegpu.survey.kinds import (
    DTYPE,
    FLAG,
    LAYOUT,
    REAL,
    REQUIRED,
    SHAPE,
    TEXT,
    WHOLE,
    Field,
    choice,
)

Fields = dict[str, Field]


def _operands(*names: str) -> Fields:
    fields: Fields = {}
    for name in names:
        fields |= {
            f"{name}_shape": Field(SHAPE, REQUIRED),
            f"transpose_{name}": Field(FLAG),
            f"{name}_layout": Field(LAYOUT),
        }
    return fields


COMMON: Final[Fields] = {
    "mlx": Field(TEXT),
    "arch": Field(TEXT),
    "nax": Field(FLAG),
    "tf32": Field(FLAG),
}
"""For whom is predicted; the options of the command where nothing is said."""

_MODES: Final = {"affine": (64, 4), "mxfp4": (32, 4), "mxfp8": (32, 8), "nvfp4": (16, 4)}
"""Group size and bits that MLX takes in each mode where neither is said."""

_INDICES: Final[Fields] = {
    "lhs_shape": Field(SHAPE),
    "rhs_shape": Field(SHAPE),
    "sorted": Field(FLAG, default=False),
}

_WEIGHTS: Final[Fields] = {
    **_operands("x"),
    "w_shape": Field(SHAPE, REQUIRED),
    "mode": Field(choice(*_MODES), "affine"),
    "group_size": Field(WHOLE, REQUIRED),
    "bits": Field(WHOLE, REQUIRED),
    "transpose": Field(FLAG, default=True),
}

OPERATIONS: Final[dict[str, Fields]] = {
    "matmul": _operands("a", "b"),
    "addmm": _operands("a", "b", "c") | {"alpha": Field(REAL, 1.0), "beta": Field(REAL, 1.0)},
    "gather_mm": _operands("a", "b") | _INDICES,
    "segmented_mm": _operands("a", "b", "segments"),
    "block_masked_mm": _operands("a", "b")
    | {
        "block_size": Field(WHOLE, 64),
        "mask_out": Field(FLAG, default=False),
        "mask_op": Field(FLAG, default=False),
        "mask_bool": Field(FLAG, default=False),
    },
    "quantized_matmul": _WEIGHTS,
    "gather_qmm": _WEIGHTS | _INDICES,
    "qqmm": _WEIGHTS | {"w_quantized": Field(FLAG, default=False)},
    "sdpa": _operands("q", "k", "v")
    | {
        "mask": Field(choice("", "causal", "bool", "float"), ""),
        "sinks": Field(FLAG, default=False),
    },
}
"""The fields of each operation beside `op`, `dtype` and those of `COMMON`."""

_EVERY: Final[Fields] = {"dtype": Field(DTYPE, REQUIRED)}
_CHECKED: Final = {op: tuple((_EVERY | own).items()) for op, own in OPERATIONS.items()}


def fields_of(op: str) -> Fields:
    """Return every field that a case of `op` can have.

    Raises:
        ValueError: there is no such operation.
    """
    if op not in OPERATIONS:
        raise ValueError(f"op: {op!r} is not one of {', '.join(OPERATIONS)}")
    return COMMON | _EVERY | OPERATIONS[op]


def completed(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return `line` with the defaults of its operation's fields, each field checked.

    Raises:
        ValueError: a field is missing or wrong; the message names it and what is allowed.
    """
    op = line.get("op")
    if not isinstance(op, str) or op not in OPERATIONS:
        raise ValueError(f"op: {op!r} is not one of {', '.join(OPERATIONS)}")
    whole = dict(line)
    if "w_shape" in OPERATIONS[op]:
        _fill_mode(whole)
    for name, field in _CHECKED[op]:
        value = whole.get(name)
        if value is None:
            value = _default(op, name, field)
            if value is None:
                continue
            whole[name] = value
        if not field.kind.holds(value):
            raise ValueError(f"{name}: {value!r} is not {field.kind.words}")
    return whole


def _default(op: str, name: str, field: Field) -> Any:
    if field.default is REQUIRED:
        raise ValueError(f"{name}: {op} needs it, {field.kind.words}")
    return field.default


def _fill_mode(whole: dict[str, Any]) -> None:
    mode = whole.get("mode") or "affine"
    if isinstance(mode, str) and mode in _MODES:
        group_size, bits = _MODES[mode]
        for name, value in (("group_size", group_size), ("bits", bits)):
            if whole.get(name) is None:
                whole[name] = value
