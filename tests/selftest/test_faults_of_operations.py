"""Faults of operations other than `matmul` show where they tell, and nowhere else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pytest_applegpu.cases.case import Case
from pytest_applegpu.selftest.faults import FAULTS, NONE, Fault, Sizes, plant
from pytest_applegpu.selftest.faults.asked import Asked
from pytest_applegpu.selftest.faults.call import State
from pytest_applegpu.selftest.faults.library import Library
from pytest_applegpu.selftest.faults.reading import FUNCTIONS
from pytest_applegpu.selftest.telling import sizes_of, telling
from tests.selftest.conftest import answer, library, one_case, plainly, planted

OPS = ("addmm", "gather_mm", "segmented_mm", "block_masked_mm")
"""Operations that the tests' own library has."""

STEADY = [name for name, fault in FAULTS.items() if fault.op in OPS and fault.group != "memory"]

pytestmark = pytest.mark.usefixtures("_tf32_off")

TRIED = 6
"""Cases in which each fault is tried; in half as many it must not show."""


def cheap(tier: list[Case], op: str) -> list[Case]:
    """Return the cheap cases of an operation whose first product tells."""
    singles = {"exact", "bounded", "isolation", "view"}
    return [
        case
        for case in tier
        if case.problem.op == op and case.problem.flops < 1e7 and case.check in singles
    ]


def differs(fault: Fault, case: Case) -> bool:
    """Tell whether a case comes out otherwise under a fault."""
    return plainly(answer(planted(fault.name), case)) != plainly(answer(library(), case))


@pytest.mark.parametrize("name", STEADY)
def test_a_fault_shows_in_cases_that_tell_of_it(name: str, tier: list[Case]) -> None:
    fault = FAULTS[name]
    found = telling(fault, cheap(tier, fault.op), "cpu")
    assert any(differs(fault, case) for case in found[:TRIED] + found[-TRIED:])


@pytest.mark.parametrize("name", STEADY)
def test_a_fault_shows_nowhere_else(name: str, tier: list[Case]) -> None:
    fault = FAULTS[name]
    elsewhere = [case for case in cheap(tier, fault.op) if not fault.applies(sizes_of(case))]
    spread = elsewhere[:: max(1, 2 * len(elsewhere) // TRIED)]
    assert not any(differs(fault, case) for case in spread)


@pytest.mark.parametrize("op", OPS)
def test_no_fault_is_none_and_sizes_are_read_as_planned(
    op: str, tier: list[Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Sizes] = []
    again = Asked.again

    def noted(call: Asked) -> Any:
        read.append(call.sizes)
        return again(call)

    monkeypatch.setattr(Asked, "again", noted)
    # NaN goes through NumPy as NaN, but for the bits that say nothing.
    core, cases = planted(NONE), [case for case in cheap(tier, op) if case.fill != "special"][::11]
    for case in cases:
        assert plainly(answer(core, case)) == plainly(answer(library(), case)), case
    # A row or a column lies as it would lie transposed.
    planned = [sizes_of(case)._replace(transposes="") for case in cases]
    assert [sizes._replace(transposes="") for sizes in read] == planned


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("beta_forgotten_without_k", "addmm-f32-nn-3x4x0 beta=2", "addmm-f32-nn-3x4x1 beta=2"),
        ("addend_in_each_partition", "addmm-f32-nn-3x4x1024", "addmm-f32-nn-3x4x1023"),
        ("addend_off_tile", "addmm-f32-nn-33x4x5", "addmm-f32-nn-32x4x5"),
        ("addend_in_one_piece", "addmm-f32-nn-9x8x7 c=pad:8", "addmm-f32-nn-9x8x7 c=off:3"),
        ("alpha_ignored", "addmm-f32-nn-9x8x7 alpha=2", "addmm-f32-nn-9x8x7 beta=2"),
        (
            "indices_in_one_piece",
            "gather_mm-f32-nn-3x4x5-b8:5 rhs=step",
            "gather_mm-f32-nn-3x4x5-b8:5",
        ),
        (
            "first_row_of_a_group",
            "gather_mm-f32-nn-3x4x5-b8:2 order=sorted",
            "gather_mm-f32-nn-3x4x5-b8:2",
        ),
        (
            "factors_as_truth",
            "block_masked_mm-f32-nn-70x70x70 kind=float",
            "block_masked_mm-f32-nn-70x70x70",
        ),
        (
            "overlap_cut_off",
            "segmented_mm-f32-nn-3x4x99 cut=overlap parts=8",
            "segmented_mm-f32-nn-3x4x99 cut=even parts=8",
        ),
    ],
)
def test_a_fault_begins_at_its_boundary(name: str, wrong: str, right: str) -> None:
    assert differs(FAULTS[name], one_case(f"{wrong} fill=integer"))
    assert not differs(FAULTS[name], one_case(f"{right} fill=integer"))


def test_what_the_library_refuses_is_left_to_it() -> None:
    core = planted("alpha_ignored")
    with pytest.raises(TypeError):
        core.addmm(core.array(np.ones((2, 2))))


def test_a_library_without_the_function_cannot_get_its_fault() -> None:
    core = library()
    del core.addmm
    with pytest.raises(AttributeError, match="addmm"):
        plant(core, "alpha_ignored")


def test_arguments_are_known_by_name_however_they_are_given() -> None:
    core = library()
    c, a, b = (core.array(np.full((2, 2), n, np.float32)) for n in (1, 2, 3))
    call = Asked(Library(core), State(), "addmm", core.addmm, (c, a, b), {"alpha": 2.0})
    assert FUNCTIONS["addmm"].arguments[:3] == ("c", "a", "b")
    assert (call.given["alpha"], call.has("c"), call.has("beta")) == (2.0, True, False)
    assert call.product().tolist() == [[25, 25], [25, 25]]
    assert Library(core).numbers(call.right(alpha=1.0, c=b)).tolist() == [[15, 15], [15, 15]]
    assert Library(core).numbers(call.made(a=np.zeros((2, 2)))).tolist() == [[1, 1], [1, 1]]
