"""Which kernels will be launched? The way into the decision procedure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pytest_applegpu.routing.attention.operation import attention
from pytest_applegpu.routing.calls import (
    QQMM,
    AddMM,
    Attention,
    BlockMaskedMM,
    Call,
    GatherMM,
    GatherQMM,
    Matmul,
    QuantizedMatmul,
    SegmentedMM,
)
from pytest_applegpu.routing.dense.operations import addmm, matmul
from pytest_applegpu.routing.gathered.gather import gather_mm
from pytest_applegpu.routing.gathered.masked import block_masked_mm
from pytest_applegpu.routing.gathered.segmented import segmented_mm
from pytest_applegpu.routing.launch import Refused, Route, Tape
from pytest_applegpu.routing.quantized.gather_qmm import gather_qmm
from pytest_applegpu.routing.quantized.operation import quantized_matmul
from pytest_applegpu.routing.quantized.qqmm import qqmm
from pytest_applegpu.routing.target import Target

DECISIONS: Final[dict[type, Callable[[Any, Target, Tape], object]]] = {
    Matmul: matmul,
    AddMM: addmm,
    GatherMM: gather_mm,
    SegmentedMM: segmented_mm,
    BlockMaskedMM: block_masked_mm,
    QuantizedMatmul: quantized_matmul,
    GatherQMM: gather_qmm,
    QQMM: qqmm,
    Attention: attention,
}
"""The decision procedure of each operation: it writes launches and reasons on a tape."""


def route_of(call: Call, target: Target) -> Route:
    """Return the launches that MLX makes for `call`, or the error that it raises."""
    tape = Tape()
    words = target.basis.words
    try:
        DECISIONS[type(call)](call, target, tape)
    except Refused as refused:
        return Route((), tuple(tape.reasons), words, error=str(refused))
    return Route(tuple(tape.launches), tuple(tape.reasons), words, unfused=tape.unfused)
