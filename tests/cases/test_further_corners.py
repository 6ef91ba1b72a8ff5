"""Corner cases of attention, convolutions and packing are cases, each of them once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from pytest_applegpu.cases.choices import attention as choices_of_attention
from pytest_applegpu.cases.choices import convolution as choices_of_convolution
from pytest_applegpu.cases.choices import packing as choices_of_packing
from pytest_applegpu.cases.corners import attention, convolution, packing
from pytest_applegpu.cases.planned import planned
from pytest_applegpu.dtypes import DTYPES

LINES: dict[str, Callable[[], Iterator[str]]] = {
    "sdpa": attention.lines,
    "conv1d": convolution.lines_1d,
    "conv2d": convolution.lines_2d,
    "quantize": packing.quantize_lines,
    "dequantize": packing.dequantize_lines,
    "qqmm": packing.qqmm_lines,
}


@pytest.mark.parametrize("op", LINES)
def test_lines_are_cases(op: str) -> None:
    """All parse, none stands twice, and more than one check is made."""
    found = [planned(op, DTYPES["float16"], line) for line in LINES[op]()]
    assert len(found) == len(set(found)) > 20
    assert {"exact", "bounded"} <= {check for _, _, check in found}


def test_every_mask_and_way_to_share_heads_is_there() -> None:
    """Attention's factors are all met."""
    problems = [planned("sdpa", DTYPES["float32"], line)[0] for line in attention.lines()]
    for name, param in problems[0].form.params.items():
        if param.values:
            assert {one.param(name) for one in problems} == set(param.values)
    assert any(one.m > one.n for one in problems)


CHOICES = {
    "sdpa": choices_of_attention.sdpa,
    "conv1d": choices_of_convolution.conv1d,
    "conv2d": choices_of_convolution.conv2d,
    "quantize": choices_of_packing.quantize,
    "dequantize": choices_of_packing.dequantize,
    "qqmm": choices_of_packing.qqmm,
}


@pytest.mark.parametrize("op", CHOICES)
def test_choices_that_are_not_excluded_make_problems(op: str) -> None:
    """Rows drawn at random, free sizes among them."""
    choices = CHOICES[op](("float32", "bfloat16"))
    rng = np.random.default_rng(7)
    made = 0
    for _ in range(300):
        row = {name: levels[rng.integers(len(levels))] for name, levels in choices.levels.items()}
        row |= {name: int(rng.integers(1, 768 // unit)) for name, unit in choices.free.items()}
        if choices.allows(row):
            assert choices.problem(row).op == op
            made += 1
    assert made > 50
