"""Each operation is transformed in each way, in smoke in one format after the other."""

from __future__ import annotations

import pytest

from pytest_applegpu.cases.budget import cost
from pytest_applegpu.cases.plan import numeric_cases
from pytest_applegpu.cases.planned import formats_of
from pytest_applegpu.cases.transforms import transforms, transforms_in_turn
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.operations.ways import PRIMALS, TRANSFORMS
from pytest_applegpu.setting import Setting

ALL = tuple(DTYPES.values())


@pytest.mark.parametrize("op", PRIMALS)
def test_every_check_is_planned_in_every_format(op: str) -> None:
    own = formats_of(op, ALL)
    found = {(problem.dtype.name, check) for problem, _, check in transforms(op, own)}
    assert found == {(dtype.name, check) for dtype in own for check in TRANSFORMS}


@pytest.mark.parametrize("op", PRIMALS)
def test_smoke_has_each_problem_once_a_check_and_several_formats(op: str) -> None:
    own = formats_of(op, ALL)
    found = list(transforms_in_turn(op, own))
    assert len({problem.dtype.name for problem, _, _ in found}) > 1
    assert {check for _, _, check in found} == set(TRANSFORMS)
    assert all(cost(problem, "cpu") < 0.02 for problem, _, _ in found)
    assert set(found) <= set(transforms(op, own))


def test_what_was_refused_before_is_asked_for_in_smoke() -> None:
    """Releases refused addmm and gather_mm without shapes; float32 alone runs everywhere."""
    for op in ("addmm", "gather_mm"):
        found = transforms_in_turn(op, formats_of(op, ALL))
        assert ("float32", "shapeless") in {(one.dtype.name, check) for one, _, check in found}


def test_others_are_not_transformed() -> None:
    assert list(transforms("quantize", ALL)) == list(transforms_in_turn("quantize", ALL)) == []


def test_what_is_emulated_has_no_transforms() -> None:
    for backend, due in (("cpu", set(TRANSFORMS)), ("emulated", set())):
        cases = numeric_cases(
            "matmul", backend, ALL, tier="smoke", seed=0, settings=[Setting("off")]
        )
        assert {case.check for case in cases} & set(TRANSFORMS) == due
