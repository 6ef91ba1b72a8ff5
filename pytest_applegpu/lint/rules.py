"""Which faults are looked for, and why does each matter?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from pytest_applegpu.lint.accelerators import unused
from pytest_applegpu.lint.accuracy import addend_dropped, addend_read, half_between
from pytest_applegpu.lint.cliffs import cliff
from pytest_applegpu.lint.coverage import false_alignment, no_threadgroups, uncovered
from pytest_applegpu.lint.memory import scratch, too_much_for_a_threadgroup
from pytest_applegpu.lint.overflow import past_int32
from pytest_applegpu.lint.partitions import (
    cut_within_a_step,
    empty_partition,
    lopsided,
    ragged_step,
    sliver,
)
from pytest_applegpu.lint.subject import Fault, Subject
from pytest_applegpu.lint.waste import idle_groups, padded, underfilled

Severity = Literal["wrong", "slow", "wasteful"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of fault: what is looked for, and why it matters."""

    name: str
    severity: Severity
    seeks: str
    matters: str
    find: Callable[[Subject], Iterator[Fault]]


RULES: Final = (
    Rule(
        "uncovered",
        "wrong",
        "a grid that ends before the result does",
        "what is not covered keeps what the memory held before",
        uncovered,
    ),
    Rule(
        "false-alignment",
        "wrong",
        "a kernel told that a size is whole tiles when it is not",
        "it checks no bounds: it reads past the operand, and writes over the next row or matrix",
        false_alignment,
    ),
    Rule(
        "ragged-step",
        "wrong",
        "K that is not whole steps, for a kernel without an end of K",
        "it multiplies what lies behind the operand, and adds it",
        ragged_step,
    ),
    Rule(
        "int32",
        "wrong",
        "offsets, steps and strides past 32 bits",
        "they wrap round: another place is read or written",
        past_int32,
    ),
    Rule(
        "addend-dropped",
        "wrong",
        "addmm with beta that launches a kernel which adds nothing",
        "the result is a @ b, whatever c, alpha and beta are",
        addend_dropped,
    ),
    Rule(
        "half-between",
        "wrong",
        "results in half precision between two launches",
        "partial results are rounded, and past 65504 in float16 infinite, though the result is not",
        half_between,
    ),
    Rule(
        "threadgroup-limits",
        "wrong",
        "more threadgroup memory or threads than a threadgroup can have",
        "the kernel cannot be launched",
        too_much_for_a_threadgroup,
    ),
    Rule(
        "no-threadgroups",
        "wasteful",
        "an empty grid",
        "nothing runs; Metal's validation refuses such a launch",
        no_threadgroups,
    ),
    Rule(
        "empty-partition",
        "slow",
        "parts of a cut K without any k",
        "K is not cut at all: one threadgroup of each tile does the work, the others write zeros",
        empty_partition,
    ),
    Rule(
        "lopsided-partition",
        "slow",
        "a part of K much longer than the others",
        "the launch lasts as long as its longest part",
        lopsided,
    ),
    Rule(
        "sliver-partition",
        "wasteful",
        "a last part of K that is next to nothing",
        "a whole partial result is written and read again for it",
        sliver,
    ),
    Rule(
        "cut-within-step",
        "wasteful",
        "a K that is cut though one step of the kernel holds it",
        "two launches and partial results in memory, where one launch would do",
        cut_within_a_step,
    ),
    Rule(
        "accelerator-unused",
        "slow",
        "SIMD or vector kernels for matrices where accelerators are there",
        "up to four times the arithmetic per core is left unused",
        unused,
    ),
    Rule(
        "underfilled",
        "slow",
        "a threadgroup for every fourth core at most, each with a long K",
        "most of the GPU waits; cutting K would fill it",
        underfilled,
    ),
    Rule(
        "cliff",
        "slow",
        "one more row, column or k that makes the kernels last several times as long",
        "padding the operand by hand is faster than what the dispatch does",
        cliff,
    ),
    Rule(
        "padded-tiles",
        "slow",
        "tiles far larger than the result",
        "most of the arithmetic is done on padding",
        padded,
    ),
    Rule(
        "idle-groups",
        "wasteful",
        "threadgroups without a tile",
        "they are scheduled only to return",
        idle_groups,
    ),
    Rule(
        "scratch",
        "wasteful",
        "partial results larger than operands and result together",
        "memory runs out, and writing and reading it takes longer than cutting K saves",
        scratch,
    ),
    Rule(
        "addend-read",
        "wasteful",
        "addmm with beta = 0 that reads c",
        "memory traffic for nothing, and NaN in c reaches the result on some routes only",
        addend_read,
    ),
)
"""Every kind of fault, wrong results first."""

BY_NAME: Final = {rule.name: rule for rule in RULES}
