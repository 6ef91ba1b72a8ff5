"""What does a rule look at? A call, for whom it is predicted, its route, and the sizes launched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Final

from pytest_applegpu.lint.extents import Extent, dtype_of, extent, operands, result_size
from pytest_applegpu.routing.arrays import ITEMSIZE
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
from pytest_applegpu.routing.launch import Launch, Route
from pytest_applegpu.routing.target import Target

OPERATIONS: Final[dict[type, str]] = {
    Matmul: "matmul",
    AddMM: "addmm",
    GatherMM: "gather_mm",
    SegmentedMM: "segmented_mm",
    BlockMaskedMM: "block_masked_mm",
    QuantizedMatmul: "quantized_matmul",
    GatherQMM: "gather_qmm",
    QQMM: "qqmm",
    Attention: "sdpa",
}

HALF: Final = frozenset({"float16", "bfloat16"})
"""Formats of two bytes."""


@dataclass(frozen=True)
class Subject:
    """A call, its target, and the launches that MLX makes for it."""

    call: Call
    target: Target
    route: Route

    @property
    def op(self) -> str:
        """The operation's name, as the lines have it."""
        return OPERATIONS[type(self.call)]

    @cached_property
    def dtype(self) -> str:
        """Format of the operands that are not packed."""
        return dtype_of(self.call)

    @cached_property
    def multiplied(self) -> tuple[tuple[Launch, Extent], ...]:
        """Each launch that multiplies, with the sizes that it is launched for, where known."""
        return tuple(self._multiplied())

    def _multiplied(self) -> Iterator[tuple[Launch, Extent]]:
        for launch in self.route.launches:
            if launch.role in {"matmul", "attention"}:
                sizes = extent(self.call, launch)
                if sizes is not None:
                    yield launch, sizes

    @cached_property
    def operand_bytes(self) -> int:
        """Bytes of all operands, packed ones as packed, each storage counted once."""
        return operands(self.call)

    @cached_property
    def result_bytes(self) -> int:
        """Bytes of the result."""
        return result_size(self.call) * ITEMSIZE[self.dtype]

    def launch_with(self, role: str) -> Launch | None:
        """Return the first launch of a role."""
        return next((one for one in self.route.launches if one.role == role), None)


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule that fires on a launch, in words with the values; `family` tells kernels apart."""

    family: str
    text: str


def partitions(launch: Launch) -> int:
    """Return into how many parts a launch cuts K, 1 for none."""
    if launch.label == "qmm_t_splitk":
        return launch.grid[2]
    return launch.params.get("partitions", 1)


def groups(launch: Launch) -> int:
    """Return the threadgroups that a launch asks for."""
    return prod(launch.grid) if launch.kind == "threadgroups" else launch.threadgroups
