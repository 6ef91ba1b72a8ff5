"""Faults that answer what is to be refused stand behind their function alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pytest_applegpu.selftest.faults import FAULTS, plant


class array(np.ndarray):  # noqa: N801 - the library's name
    """An array of the library's."""


def library() -> Any:
    """Return a library that refuses some calls."""

    def attention(q: Any, k: Any, v: Any, *, mask: Any = None) -> Any:
        if mask not in {None, "causal"}:
            raise ValueError("invalid mask option")
        return q

    fast = SimpleNamespace(scaled_dot_product_attention=attention)
    return SimpleNamespace(array=array, matmul=np.matmul, eval=lambda *_: None, fast=fast)


@pytest.fixture(autouse=True)
def _kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the class its functions back, which planting replaces."""
    monkeypatch.setattr(array, "__getitem__", np.ndarray.__getitem__, raising=False)
    monkeypatch.setattr(array, "__matmul__", np.ndarray.__matmul__, raising=False)


def test_unlike_k_are_cut_to_the_shorter_one() -> None:
    core = library()
    plant(core, "shorter_inner")
    assert core.matmul(np.ones((4, 6)), np.ones((7, 5))).tolist() == [[6.0] * 5] * 4
    assert core.matmul(np.ones((4, 6)), np.ones((6, 5))).tolist() == [[6.0] * 5] * 4


def test_what_a_fault_does_not_answer_is_refused_as_before() -> None:
    core = library()
    plant(core, "shorter_inner")
    with pytest.raises(ValueError, match="matmul"):
        core.matmul(np.ones(()), np.ones((6, 5)))


def test_a_mask_of_an_unknown_name_is_none() -> None:
    core = library()
    plant(core, "unknown_mask")
    assert core.fast.scaled_dot_product_attention(1, 2, 3, mask="windowed") == 1
    with pytest.raises(ValueError, match="invalid mask"):
        core.fast.scaled_dot_product_attention(1, 2, 3, mask=7)


def test_they_are_told_by_refusals_alone() -> None:
    lenient = [fault for fault in FAULTS.values() if fault.lenient]
    assert len(lenient) >= 3
    assert {fault.checks for fault in lenient} == {("refusal",)}


def test_arguments_without_a_name_keep_their_places() -> None:
    core = library()
    core.array = array
    core.uint8 = np.uint8

    def packed(x: Any, w: Any, /, scales: Any, *, mode: str) -> Any:
        if scales.dtype != np.uint8:
            raise ValueError("Scale type must be uint8")
        return x, w, scales, mode

    core.quantized_matmul = packed
    plant(core, "any_scales")
    found = core.quantized_matmul(1, 2, scales=np.ones(3, np.float32), mode="mxfp4")
    assert (found[0], found[1], found[3]) == (1, 2, "mxfp4")
