"""Sizes are read as they are written, and each is a case of its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.conduct.swept import at, beside_boundaries, cut, parse_sweep
from pytest_applegpu.setting import Setting


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("M=1..4", ("m", (1, 2, 3, 4))),
        ("N=8,2,8", ("n", (2, 8))),
        ("k=64..512x2", ("k", (64, 128, 256, 512))),
        ("M=1..10:4,3", ("m", (1, 3, 5, 9))),
    ],
)
def test_sizes(text: str, found: object) -> None:
    assert parse_sweep(text) == found


@pytest.mark.parametrize(
    "text", ["M", "B=1", "M=", "M=4..1", "M=0", "M=1..8x1", "M=1..8:0", "M=1..9999999", "M=1,a"]
)
def test_what_is_no_sweep(text: str) -> None:
    with pytest.raises(ValueError, match=r"size|M, N or K"):
        parse_sweep(text)


@given(st.text(alphabet="MNK=0123456789.,:x", max_size=12))
def test_any_text_is_a_sweep_or_a_value_error(text: str) -> None:
    try:
        _, sizes = parse_sweep(text)
    except ValueError:
        return
    assert list(sizes) == sorted(set(sizes))


def test_a_smaller_case_is_cut_out_of_a_larger_one() -> None:
    (case,) = parse_cases("matmul-f32-nt-8x4x6 check=throughput", [Setting("on")])
    small = at(case, "m", 3)
    a, b = np.arange(48.0).reshape(8, 6), np.ones((6, 4))
    assert str(small.problem) == "matmul-f32-nt-3x4x6"
    left, right = cut((a, b), small)
    assert (left == a[:3]).all()
    assert right.shape == (6, 4)


def test_only_both_sides_of_a_boundary_are_kept() -> None:
    kept = beside_boundaries(range(1, 101), lambda size: "gemv" if size < 9 else "gemm")
    assert kept == [1, 8, 9, 100]
