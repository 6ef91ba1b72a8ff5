"""Does the split of a bound add up, and do the words say what the route is taken to do?"""

from __future__ import annotations

from dataclasses import astuple, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.numerics.bounds import Arithmetic, Sums, limit, promise
from pytest_applegpu.numerics.budget import Budget, describe, split
from pytest_applegpu.numerics.check import judge
from tests.drawing import make
from tests.numerics.planted import honest

F32, F16, F64, C64 = (DTYPES[n] for n in ("float32", "float16", "float64", "complex64"))
TF32 = Arithmetic(11, operand_truncates=True)


def parted(arithmetic: Arithmetic, name: str, size: float, magnitude: float, k: int) -> Budget:
    dtype = DTYPES[name]
    allowed = limit(arithmetic, dtype, np.array(size), np.array(magnitude), k)
    found = split(arithmetic, dtype, size, magnitude, k, float(allowed))
    assert found is not None
    return found


@settings(deadline=None)
@given(
    name=st.sampled_from(list(DTYPES)),
    bits=st.integers(8, 53),
    k=st.integers(1, 10**5),
    magnitude=st.floats(1e-30, 1e30),
    part=st.floats(0, 1),
)
def test_the_parts_add_up_to_the_bound(
    name: str, bits: int, k: int, magnitude: float, part: float
) -> None:
    found = parted(Arithmetic(bits), name, part * magnitude, magnitude, k)
    shares = astuple(found)[:-1]
    assert sum(shares) == pytest.approx(1)
    assert min(shares) >= 0


def test_operands_cut_to_11_bits_are_most_of_a_bound() -> None:
    found = parted(TF32, "float32", 1.0, 10.0, 512)
    unit = 2.0**-10
    whole = limit(TF32, F32, np.array(1.0), np.array(10.0), 512)
    assert found.operand == pytest.approx(10 * (2 * unit + unit**2) / whole)
    assert found.operand > 0.98
    assert found.rest < 1e-6


def test_rounding_the_result_is_most_of_a_half_bound() -> None:
    assert parted(promise(F16), "float16", 1.0, 1.0, 64).output > 0.95
    assert parted(promise(F32), "float32", 0.0, 1.0, 64).accumulate > 0.99


def test_what_is_done_to_the_product_afterwards_is_the_rest() -> None:
    allowed = 2 * float(limit(promise(F32), F32, np.array(1.0), np.array(1.0), 64))
    found = split(promise(F32), F32, 1.0, 1.0, 64, allowed)
    assert found is not None
    assert found.rest == pytest.approx(0.5, rel=1e-6)


@pytest.mark.parametrize("allowed", [np.inf, np.nan, 0.0])
def test_a_bound_that_is_none_has_no_parts(allowed: float) -> None:
    assert split(promise(F32), F32, 1.0, 1.0, 8, allowed) is None


@pytest.mark.parametrize(
    ("arithmetic", "name", "k", "says"),
    [
        (
            replace(TF32, sums=Sums(256, 2, 1, kept="float32")),
            "float32",
            512,
            (
                "operands 11 bits truncated; float32 sums of 256 in 2 partitions stored in "
                "float32, rounded to nearest; result rounded to float32"
            ),
        ),
        (
            replace(promise(F16), sums=Sums(40, 32, 5, "lanes")),
            "float16",
            1024,
            (
                "operands whole; float32 sums of 40 in 32 lanes, rounded to nearest; "
                "result rounded to float16"
            ),
        ),
        (
            Arithmetic(11, accumulator_unit=2.0**-23, note="no partial sums in float16"),
            "float16",
            64,
            (
                "operands whole; float32 sums of 64 in any order, truncated at worst; "
                "result rounded to float16; no partial sums in float16"
            ),
        ),
        (
            promise(F64),
            "float64",
            3,
            (
                "operands whole; float64 sums of 3 in any order, rounded to nearest; "
                "result rounded to float64"
            ),
        ),
        (
            replace(promise(C64), sums=Sums(9)),
            "complex64",
            9,
            (
                "operands whole; float32 sums of 9 in turn for each part, rounded to nearest; "
                "result rounded to complex64"
            ),
        ),
        (
            Arithmetic(11),
            "float32",
            0,
            "operands 11 bits rounded to nearest; result rounded to float32",
        ),
    ],
)
def test_the_model_in_words(arithmetic: Arithmetic, name: str, k: int, says: str) -> None:
    assert describe(arithmetic, DTYPES[name], k) == says


def test_a_right_result_has_its_budget_too() -> None:
    rng = np.random.default_rng(0)
    A, B = make("normal", F32, (8, 30), (30, 8), 24, rng)
    finding = judge("bounded", A, B, honest(A, B, F32), F32, promise(F32), rng)
    assert finding.verdict == "within"
    assert finding.budget is not None
    assert finding.budget.accumulate > 0.9
    assert finding.typical is not None
    assert finding.share is not None
    assert finding.share <= finding.typical < 1


def test_a_result_beyond_the_band_is_creeping_and_may_stand() -> None:
    rng = np.random.default_rng(0)
    A, B = make("uniform", F32, (8, 2000), (2000, 8), 24, rng)
    right = honest(A, B, F32)
    crept = right * np.float32(1 + 300 * 2.0**-24)
    finding = judge("bounded", A, B, crept, F32, promise(F32), rng)
    assert (finding.verdict, finding.passed) == ("creeping", True)
    gone = right * np.float32(1 + 4000 * 2.0**-24)
    assert judge("bounded", A, B, gone, F32, promise(F32), rng).verdict == "over"
