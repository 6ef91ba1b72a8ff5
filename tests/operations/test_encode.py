"""Codes and scales of the reference are the nearest there are, ties to even."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_applegpu.numerics.rounding import Array
from pytest_applegpu.operations.codes import pack, scales, values
from pytest_applegpu.operations.encode import (
    LARGEST,
    RULES,
    encode,
    meaning,
    shared_scales,
    unpack,
)

GROUPS = {"mxfp4": 32, "mxfp8": 32, "nvfp4": 16}


def nearest(x: float, mode: str) -> int:
    """Return the code of the element nearest to x among all there are; of two, the even one."""
    count = 256 if mode == "mxfp8" else 16
    sign = np.signbit(x)
    codes = [c for c in range(count) if bool(c & (count // 2)) == sign]
    held = {c: float(values(np.array([c]), mode)[0]) for c in codes}
    return min(
        (c for c in codes if np.isfinite(held[c])), key=lambda c: (abs(held[c] - x), c & 1, c)
    )


def one_group(mode: str, seed: int) -> Array:
    """Draw a group that includes elements, ties and zeros of both signs."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(GROUPS[mode]).astype(np.float32).astype(np.float64)
    x[:4] = [0.0, -0.0, x.max(), 0.25 * np.abs(x).max()]
    return x[None]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), mode=st.sampled_from(sorted(GROUPS)))
def test_codes_are_the_nearest_elements(seed: int, mode: str) -> None:
    """Under the scale of each rule, by search through all codes."""
    x = one_group(mode, seed)
    for rule in RULES:
        shared = shared_scales(x, mode, GROUPS[mode], rule)
        factor = scales(shared, mode)[0, 0]
        codes = encode(x, mode, GROUPS[mode], shared)[0]
        assert [int(c) for c in codes] == [nearest(v / factor, mode) for v in x[0]]


@pytest.mark.parametrize("mode", ["mxfp4", "nvfp4"])
def test_ties_go_to_even(mode: str) -> None:
    """Halfway between elements of four bits, the scale being 1."""
    x = np.zeros((1, GROUPS[mode]))
    x[0, :8] = [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, 6.0]
    np.testing.assert_array_equal(meaning(x, mode, GROUPS[mode])[0, :8], [0, 1, 1, 2, 2, 4, 4, 6])


@pytest.mark.parametrize("mode", ["mxfp4", "mxfp8"])
@pytest.mark.parametrize("largest", [1.0, 1.1, 1.5, 1.75, 1.9, 2.0, 6.0, 448.0])
def test_scales_are_powers_of_two_by_rule(mode: str, largest: float) -> None:
    """The specification's rule, and the smallest that leaves nothing out of range."""
    x = np.zeros((1, 32))
    x[0, 3] = -largest
    floor, ceil = (scales(shared_scales(x, mode, 32, rule), mode)[0, 0] for rule in RULES)
    assert floor == 2.0 ** (np.floor(np.log2(largest)) - (2 if mode == "mxfp4" else 8))
    assert largest / ceil <= LARGEST[mode] < 2 * largest / ceil


def test_a_group_of_zeros_is_packed_to_zeros() -> None:
    """In every mode, whatever its scale."""
    for mode, group in GROUPS.items():
        assert not meaning(np.zeros((2, group)), mode, group).any()


@pytest.mark.parametrize("shape", [(0, 64), (2, 0, 64), (3, 0)])
def test_no_weights_are_packed_to_none(shape: tuple[int, ...]) -> None:
    """Without rows, and without columns."""
    for mode, group in GROUPS.items():
        x = np.zeros(shape)
        assert shared_scales(x, mode, group).shape == (*shape[:-1], shape[-1] // group)
        assert meaning(x, mode, group).shape == shape
        assert unpack(np.zeros(shape, np.uint32), 4).shape == (*shape[:-1], 8 * shape[-1])


@given(bits=st.sampled_from([2, 3, 4, 5, 6, 8]), seed=st.integers(0, 2**32))
def test_what_is_packed_is_unpacked(bits: int, seed: int) -> None:
    """Codes of any width, end to end."""
    codes = np.random.default_rng(seed).integers(0, 2**bits, (3, 64))
    np.testing.assert_array_equal(unpack(pack(codes, bits), bits), codes)
