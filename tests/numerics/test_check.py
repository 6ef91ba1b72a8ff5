"""Is the way in right: which checks there are, what passes, and how often a right result fails?"""

from __future__ import annotations

import numpy as np
import pytest

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.bounds import Arithmetic, promise
from pytest_applegpu.numerics.check import CHECKS, judge
from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.rounding import Array
from pytest_applegpu.words import NUMBERS
from tests.drawing import make
from tests.numerics.planted import batch_repeated, honest

NAMES = list(DTYPES)
F32, F16 = DTYPES["float32"], DTYPES["float16"]


def judged(check: str, A: Array, B: Array, got: object, dtype: DType = F32) -> Finding:
    rng = np.random.default_rng(0)
    return judge(check, A, B, got, dtype, promise(dtype), rng)  # type: ignore[arg-type]


def drawn(fill: str, dtype: DType = F32) -> tuple[Array, Array, Array]:
    A, B = make(fill, dtype, (12, 20), (20, 9), dtype.significand, np.random.default_rng(1))
    return A, B, honest(A, B, dtype)


@pytest.mark.parametrize(
    ("check", "fill", "verdict"),
    [
        ("exact", "integer", "exact"),
        ("projection", "integer", "exact"),
        ("bounded", "normal", "within"),
        ("bounded", "integer", "within"),
        ("isolation", "special", "exact"),
    ],
)
def test_right_results_pass(check: str, fill: str, verdict: str) -> None:
    A, B, C = drawn(fill)
    finding = judged(check, A, B, C)
    assert finding.verdict == verdict
    assert finding.passed
    assert NUMBERS[finding.verdict] == "passed"


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize(
    ("got", "says"),
    [
        (np.zeros((9, 12), np.float32), "the result has shape (9, 12), not (12, 9)"),
        (np.zeros((12, 9), np.float64), "the result is float64, not float32"),
        (None, "the result is of type NoneType, not an array"),
    ],
)
def test_other_shapes_and_formats_are_misshapen(check: str, got: object, says: str) -> None:
    A, B, _ = drawn("special" if check == "isolation" else "integer")
    finding = judged(check, A, B, got)
    assert (finding.verdict, finding.detail) == ("misshapen", says)


def test_one_dimensional_operands_take_axes_away() -> None:
    A, B = make("integer", F32, (1, 20), (20, 9), 24, np.random.default_rng(1))
    C, rng = honest(A, B, F32)[0], np.random.default_rng(0)
    assert judge("exact", A, B, C, F32, promise(F32), rng, shape=(9,)).verdict == "exact"
    assert judge("exact", A, B, C, F32, promise(F32), rng).verdict == "misshapen"


@pytest.mark.parametrize(
    ("check", "fill"), [("exact", "integer"), ("bounded", "normal"), ("projection", "integer")]
)
def test_a_wrong_element_is_over_with_its_place(check: str, fill: str) -> None:
    A, B, C = drawn(fill)
    C[4, 7] += 3
    finding = judged(check, A, B, C)
    assert (finding.verdict, finding.wrong, finding.worst) == ("over", 1, (4, 7))
    assert finding.pattern == "one element at (4, 7)"
    assert finding.cause is None


@pytest.mark.parametrize("check", ["exact", "bounded", "projection", "isolation"])
def test_data_that_could_not_fail_are_no_proof(check: str) -> None:
    A = np.ones((4, 4), np.float32)
    finding = judged(check, A, A, A @ A)
    assert finding.verdict == "no proof"
    assert finding.detail


def test_a_wrong_result_of_poor_data_is_wrong_first_of_all() -> None:
    A = np.ones((4, 4), np.float32)
    assert judged("exact", A, A, A @ A + 1).verdict == "over"


def test_results_are_rounded_once_and_to_nearest() -> None:
    A, B, C = drawn("round", F16)
    assert judged("exact", A, B, C, F16).verdict == "exact"
    C[0, 0] = np.nextafter(C[0, 0], np.float16(0))
    assert judged("exact", A, B, C, F16).share == 1


def test_tf32_class_operands_pass_only_where_they_are_promised() -> None:
    A, B, _ = drawn("normal")
    cut = (A.view(np.uint32) & 0xFFFFE000).view(np.float32)
    rng = np.random.default_rng(0)
    assert judge("bounded", A, B, cut @ B, F32, promise(F32), rng).verdict == "over"
    tf32 = Arithmetic(11, operand_truncates=True)
    assert judge("bounded", A, B, cut @ B, F32, tf32, rng).verdict == "within"


def test_the_projection_names_causes_too() -> None:
    A, B = make("integer", F32, (2, 30, 40), (2, 40, 30), 24, np.random.default_rng(1))
    finding = judged("projection", A, B, batch_repeated(A, B, F32))
    assert (finding.pattern, finding.cause) == ("batch 1 only", "batch 1 repeats batch 0")


def test_unknown_checks_are_refused_by_name() -> None:
    A, B, C = drawn("integer")
    with pytest.raises(ValueError, match="check 'close' is not one of exact, bounded, projection"):
        judged("close", A, B, C)


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("name", NAMES)
def test_right_results_never_fail(name: str, fill: str) -> None:
    """36 seeded products of every format and fill: 2160 in all."""
    dtype, rng = DTYPES[name], np.random.default_rng(NAMES.index(name))
    for _ in range(36):
        m, n, k = (int(size) for size in rng.integers(1, (28, 28, 200)))
        batch = [(), (2,)][int(rng.integers(2))]
        A, B = make(fill, dtype, (*batch, m, k), (*batch, k, n), dtype.significand, rng)
        check, C = FILLS[fill].check, honest(A, B, dtype)
        finding = judge(check, A, B, C, dtype, promise(dtype), rng)
        assert finding.passed, (batch, m, n, k, finding)
