"""What is left unwritten holds what its memory held: the result before, or what spoilt it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.selftest.faults import FAULTS, plant
from pytest_applegpu.setting import Setting
from tests.selftest.conftest import answer, library, operands, plainly

ODD = "matmul-f32-nn-4x4x5 fill=integer"


def planted(name: str) -> Any:
    """Return a library with a fault in front of it."""
    core = library()
    plant(core, name)
    return core


def one(text: str) -> Case:
    """Return a case with TF32 on."""
    (case,) = parse_cases(text, [Setting()])
    return case


def poison(core: Any, size: int) -> None:
    """Fill memory of `size` bytes with NaN and free it."""
    core.eval(core.array(np.full(size // 4, np.nan, np.float32)))


def test_a_right_result_of_the_call_before_shows_unless_memory_was_poisoned() -> None:
    core, right = planted("result_unwritten"), library()
    a, b = operands(core, one(ODD))
    core.eval(right.matmul(a, b))
    assert plainly(core.matmul(a, b)) == plainly(right.matmul(a, b))
    poison(core, 64)
    assert np.isnan(core.matmul(a, b).values).all()


def test_fresh_memory_holds_zeros() -> None:
    core = planted("result_unwritten")
    poison(core, 68)
    assert not core.matmul(*operands(core, one(ODD))).values.any()


@pytest.mark.parametrize(
    ("name", "text", "spoilt"),
    [
        ("last_tile_unwritten", "matmul-f32-nn-70x80x4", np.s_[64:, 64:]),
        ("sum_of_nothing_unwritten", "matmul-f32-nn-4x4x0", np.s_[:]),
        ("hidden_block_unwritten", "block_masked_mm-f32-nn-300x300x8 masks=o", None),
        ("empty_segment_unwritten", "segmented_mm-f32-nn-3x4x64 parts=16 cut=empty", None),
    ],
)
def test_what_is_unwritten_is_nan_after_poison(name: str, text: str, spoilt: Any) -> None:
    core, case = planted(name), one(f"{text} fill=integer")
    poison(core, 4 * int(np.prod(case.problem.shape_c)))
    c, right = (answer(x, case).values for x in (core, library()))
    if spoilt is None:
        ill = np.isnan(c)
        assert 0 < ill.sum() < c.size
        assert not right[ill].any()
    else:
        ill = np.zeros(c.shape, bool)
        ill[spoilt] = True
    np.testing.assert_array_equal(np.isnan(c), ill)
    np.testing.assert_array_equal(c[~ill], right[~ill])


def test_partial_sums_have_memory_of_their_own() -> None:
    core, case = planted("partial_unwritten"), one("matmul-f16-nn-4x4x1024 fill=integer")
    right = answer(library(), case).values
    np.testing.assert_array_equal(answer(core, case).values, right)
    poison(core, 4 * 4 * 16)
    assert np.isnan(answer(core, case).values).all()


def test_nothing_is_remembered_for_other_faults() -> None:
    core = library()
    kept = core.eval
    plant(core, "last_row")
    assert core.eval is kept
    assert sum(fault.recycles for fault in FAULTS.values()) >= 5
