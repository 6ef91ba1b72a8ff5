"""Calls with packed weights: `quantized_matmul`, `gather_qmm` and `qqmm`."""

from __future__ import annotations

from typing import Final

from pytest_applegpu.forms.quantized import MODES, own_packing
from pytest_applegpu.recording.draft import (
    Met,
    NotSaid,
    array,
    letter,
    matrix,
    notes,
    one_format,
    problem,
)
from pytest_applegpu.recording.picked import laid, picks
from pytest_applegpu.recording.seen import Array, Call

_GLOBAL: Final = ("global_scale", "global_scale_x", "global_scale_w")


def quantized_matmul(call: Call) -> Met:
    """Read `quantized_matmul`."""
    return _packed(call, "quantized_matmul", {}, ())


def gather_qmm(call: Call) -> Met:
    """Read `gather_qmm`."""
    batches = array(call, "x").shape[:-2], array(call, "w").shape[:-2]
    return _packed(call, "gather_qmm", *picks(call, *batches))


def _packed(call: Call, op: str, words: dict[str, str], told: tuple[str, ...]) -> Met:
    _refuse_global(call)
    x, w, scales = (array(call, name) for name in ("x", "w", "scales"))
    packing = _packing(call, str(call.get("mode", "affine")))
    transposed = bool(call.get("transpose", default=True))
    left = matrix("a", x)
    n = w.shape[-2] if transposed else scales.shape[-1] * packing.group
    parts = laid(call, ("w", "scales", "biases"))
    said = {"a": left.layout} | {name: one.layout for name, one in parts.items()}
    return Met(
        problem(
            op,
            one_format(x, *_numbers(call)),
            (left.rows, n, left.cols),
            letter(left) + ("t" if transposed else "n"),
            (left.batch, w.shape[:-2]),
            said | packing.words | words,
        ),
        (*told, *notes(left, *parts.values())),
    )


def qqmm(call: Call) -> Met:
    """Read `qqmm`; weights without scales are packed on the way."""
    _refuse_global(call)
    x, w = array(call, "x"), array(call, "w")
    packing = _packing(call, str(call.get("mode", "nvfp4")))
    plain = call.get("scales") is None
    left, parts = matrix("a", x), laid(call, ("w", "scales"))
    said = {"a": left.layout, "given": "plain" if plain else "packed"}
    return Met(
        problem(
            "qqmm",
            one_format(x, w) if plain else x.dtype,
            (left.rows, w.shape[-2], left.cols),
            letter(left) + "t",
            (left.batch, w.shape[:-2]),
            said | {name: one.layout for name, one in parts.items()} | packing.words,
        ),
        notes(left, *parts.values()),
    )


def _numbers(call: Call) -> list[Array]:
    """Return the operands beside A that hold numbers of a format, and no codes."""
    found = [call.get(name) for name in ("scales", "biases")]
    return [one for one in found if isinstance(one, Array) and one.dtype != "uint8"]


class _Packing:
    """How weights are packed, and what a problem says of it."""

    def __init__(self, mode: str, group: int, bits: int) -> None:
        self.group = group
        own = () if mode == "affine" else (("mode", mode),)
        self.words = dict((*own, ("group", str(group)), ("bits", str(bits))))


def _packing(call: Call, mode: str) -> _Packing:
    """Read mode, group and bits.

    Raises:
        NotSaid: there is no such mode.
    """
    if mode not in MODES:
        raise NotSaid(f"mode {mode!r} is not one of {', '.join(MODES)}")
    group, bits = own_packing(mode)
    return _Packing(mode, call.get("group_size", group), call.get("bits", bits))


def _refuse_global(call: Call) -> None:
    for name in _GLOBAL:
        if call.get(name) is not None:
            raise NotSaid(f"{name} has no word in a problem")
