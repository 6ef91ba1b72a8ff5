"""Faults of transforms spoil transforms alone, and what is traced goes the library's own way."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pytest_applegpu.selftest.faults import FAULTS
from pytest_applegpu.selftest.faults.call import State
from pytest_applegpu.selftest.faults.tracing import TRANSFORMS, watch

OWN = [fault for fault in FAULTS.values() if fault.group == "transforms"]


def test_every_transform_has_a_fault_and_every_fault_a_check_that_tells() -> None:
    assert {fault.transform for fault in OWN} == {"vmap", "vjp", "compile", "import_function"}
    told = {check for fault in OWN for check in fault.checks}
    assert told == {"gradient", "vmap", "compiled", "shapeless", "exported"}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_state_knows_while_a_function_is_traced(name: str) -> None:
    state, seen = State(), []

    def trace(*given: Any) -> Any:
        return given[TRANSFORMS[name]]()

    core = SimpleNamespace(**{name: trace})
    watch(core, state)
    before = ("path",) * TRANSFORMS[name]
    getattr(core, name)(*before, lambda: seen.append(state.traced))
    assert (seen, state.traced) == ([1], 0)
    with pytest.raises(ZeroDivisionError):
        getattr(core, name)(*before, lambda: 1 / 0)
    assert state.traced == 0


def test_a_library_without_transforms_is_left_as_it_is() -> None:
    core = SimpleNamespace()
    watch(core, State())
    assert vars(core) == {}


def vmap(function: Any, in_axes: Any = 0, out_axes: Any = 0) -> Any:
    """Map the first of two operands, along the axis that is said."""
    return lambda a, b: np.stack([function(one, b) for one in np.moveaxis(a, in_axes[0], 0)])


@pytest.mark.parametrize(
    ("name", "axis"),
    [("mapped_axis_moved", 0), ("mapped_once", 0), ("mapped_last_axis_reversed", 2)],
)
def test_mapping_goes_wrong(name: str, axis: int) -> None:
    a, b = np.arange(24.0).reshape(2, 3, 4), np.ones((4, 5))
    given = np.moveaxis(a, 0, axis)
    wrong = FAULTS[name].plant(vmap)(np.matmul, in_axes=(axis, None), out_axes=0)(given, b)
    assert not np.array_equal(wrong, a @ b)


def test_first_results_are_kept() -> None:
    def compile_(function: Any, **_: Any) -> Any:
        return function

    for name in ("compiled_keeps_numbers", "shapeless_keeps_size"):
        call = FAULTS[name].plant(compile_)(np.negative, shapeless=True)
        assert call(np.ones(2)).tolist() == call(np.zeros(2)).tolist() == [-1, -1]
    plain = FAULTS["shapeless_keeps_size"].plant(compile_)(np.negative)
    assert [plain(np.ones(2))[0], plain(np.zeros(2))[0]] == [-1, 0]


def test_a_gradient_loses_its_sign() -> None:
    def vjp(function: Any, primals: Any, cotangents: Any) -> Any:
        return [function(*primals)], [cotangents[0] * 2, cotangents[0] * 3]

    _, found = FAULTS["gradient_sign"].plant(vjp)(np.add, [1.0, 2.0], [np.ones(1)])
    assert [one.tolist() for one in found] == [[2], [-3]]
